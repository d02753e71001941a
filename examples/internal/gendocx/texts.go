package main

func security() document {
	return document{
		title:  "Information security policy",
		author: "Samir Haddad",
		paragraphs: []string{
			"This policy protects the data of our customers and our own. It holds for everybody who has an account at Northlight Instruments.",
			"# Passwords",
			"A password has at least 14 characters and is used in one place only. Keep passwords in the company's password manager. They need not be changed regularly, but at once when somebody else may know them.",
			"Two-factor authentication is mandatory for mail, the VPN and the source code.",
			"# Classes of information",
			"Class | Examples | Where it may be kept",
			"public | price list, manuals | anywhere",
			"internal | minutes, plans | company laptop, file server",
			"confidential | contracts, salaries | file server, encrypted",
			"secret | signing keys of the firmware | safe in room 301",
			"# Lost devices",
			"Report a lost laptop, telephone or badge within two hours to security@northlight.example or by telephone to +358 9 000 0000, day and night. The device is then erased from afar. Nobody is blamed for an honest report.",
			"# Suspicious mail",
			"- Do not open attachments that you did not expect.",
			"- Forward the message to security@northlight.example.",
			"- If you have entered your password somewhere, change it first and report it afterwards.",
			"# Visitors",
			"Visitors are met at the reception and are never alone in the workshop. Photographs need the permission of the head of production.",
		},
	}
}

func trips() document {
	return document{
		title:  "Положение о командировках",
		author: "Динара Сеитова",
		paragraphs: []string{
			"Командировка оформляется приказом не позднее чем за пять рабочих дней до выезда. Билеты и гостиницу заказывает офис-менеджер.",
			"# Суточные",
			"Направление | Суточные, тенге | Гостиница, не более",
			"Алматы и Астана | 12 000 | 35 000",
			"другие города Казахстана | 9 000 | 25 000",
			"за границу | 25 000 | 60 000",
			"# Транспорт",
			"До 400 километров едут поездом или на служебной машине, дальше — самолётом экономическим классом. Такси оплачивается только до аэропорта и вокзала и обратно.",
			"# Аванс",
			"Аванс в размере 80 процентов предполагаемых расходов перечисляется на карту за два дня до выезда.",
			"# Отчёт",
			"Авансовый отчёт сдаётся в бухгалтерию в течение трёх рабочих дней после возвращения. К отчёту прилагаются посадочные талоны, счёт гостиницы и чеки. Без документов расходы не возмещаются.",
			"# Выходные дни",
			"Если дорога или работа пришлась на выходной, сотрудник получает другой день отдыха в течение месяца.",
		},
	}
}

// letter has the places that examples/docxletter fills.
func letter() document {
	return document{
		title:  "Northlight Instruments",
		author: "Northlight Instruments",
		paragraphs: []string{
			"Helsinki, DATE",
			"Dear CUSTOMER,",
			"we have found that the humidity sensor of the loggers with the numbers SERIALS may drift. Please send them back; we replace them free of charge within DAYS working days.",
			"# What to do",
			"- Read out the loggers before you pack them.",
			"- Write the number CASE on the parcel.",
			"Kind regards, Petra Lindholm",
		},
	}
}

package numfmt

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// lastDay is the serial number of the day after 9999-12-31.
const lastDay = 2958466

// moment returns the time that a serial number stands for, to the millisecond.
func moment(v float64, date1904 bool) (time.Time, bool) {
	if v < 0 || v >= lastDay {
		return time.Time{}, false
	}
	ms := math.Round(v * 86400000)
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case date1904:
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case ms < 60*86400000:
		// Serial 60 is 29 February 1900, which never was: days before it are one off.
		epoch = epoch.AddDate(0, 0, 1)
	}
	days := int(ms / 86400000)
	return epoch.AddDate(0, 0, days).Add(time.Duration(ms-float64(days)*86400000) * time.Millisecond), true
}

func (s *section) moment(v float64, date1904 bool) (string, bool) {
	negative := false
	if s.has(elapsed) && v < 0 {
		negative, v = true, -v
	}
	seconds, fraction := false, false
	twelve := s.has(ampm)
	for _, t := range s.tokens {
		seconds = seconds || t.text == "s"
		fraction = fraction || t.kind == millis
	}
	if seconds && !fraction {
		v = math.Round(v*86400) / 86400
	}
	t, ok := moment(v, date1904)
	if !ok {
		return "", false
	}
	total := math.Round(v * 86400000) // milliseconds
	var b strings.Builder
	if negative {
		b.WriteByte('-')
	}
	pad := func(v, n int) { fmt.Fprintf(&b, "%0*d", min(n, 2), v) }
	for _, k := range s.tokens {
		switch k.kind {
		case literal, slash, point, percent:
			b.WriteString(k.text)
		case ampm:
			half := "AM"
			if t.Hour() >= 12 {
				half = "PM"
			}
			b.WriteString(half[:len(k.text)/2])
		case millis:
			b.WriteString("." + fmt.Sprintf("%03d", t.Nanosecond()/1e6)[:k.n])
		case elapsed:
			unit := map[string]float64{"h": 3600000, "m": 60000, "s": 1000}[k.text]
			n := strconv.FormatFloat(math.Floor(total/unit), 'f', 0, 64)
			b.WriteString(strings.Repeat("0", max(min(k.n, 9)-len(n), 0)) + n)
		case date:
			switch k.text {
			case "y", "e":
				if k.n <= 2 && k.text == "y" {
					pad(t.Year()%100, 2)
				} else {
					b.WriteString(strconv.Itoa(t.Year()))
				}
			case "m":
				switch {
				case k.n <= 2:
					pad(int(t.Month()), k.n)
				case k.n == 5:
					r := []rune(s.names.months[t.Month()-1])
					b.WriteString(string(r[:1]))
				case k.n == 3:
					b.WriteString(s.names.short[t.Month()-1])
				default:
					b.WriteString(s.names.long(int(t.Month())-1, s.has(date) && hasDay(s.tokens)))
				}
			case "d":
				switch {
				case k.n <= 2:
					pad(t.Day(), k.n)
				case k.n == 3:
					b.WriteString(s.names.shortDays[t.Weekday()])
				default:
					b.WriteString(s.names.days[t.Weekday()])
				}
			case "h":
				h := t.Hour()
				if twelve {
					h = (h+11)%12 + 1
				}
				pad(h, k.n)
			case "n":
				pad(t.Minute(), k.n)
			case "s":
				pad(t.Second(), k.n)
			}
		}
	}
	return b.String(), true
}

// hasDay reports whether the day of the month is shown.
func hasDay(tokens []token) bool {
	for _, t := range tokens {
		if t.kind == date && t.text == "d" && t.n <= 2 {
			return true
		}
	}
	return false
}

// names are those of months and days in one language.
type names struct {
	months, short   [12]string
	genitive        [12]string // of months behind a day, where they differ
	days, shortDays [7]string  // from Sunday
}

func (n *names) long(month int, afterDay bool) string {
	if afterDay && n.genitive[month] != "" {
		return n.genitive[month]
	}
	return n.months[month]
}

func namesOf(locale int) *names {
	switch locale & 0x3ff { // the primary language
	case 0x19:
		return &names{
			months:   [12]string{"Январь", "Февраль", "Март", "Апрель", "Май", "Июнь", "Июль", "Август", "Сентябрь", "Октябрь", "Ноябрь", "Декабрь"},
			short:    [12]string{"янв", "фев", "мар", "апр", "май", "июн", "июл", "авг", "сен", "окт", "ноя", "дек"},
			genitive: [12]string{"января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября", "ноября", "декабря"},
			days:     [7]string{"воскресенье", "понедельник", "вторник", "среда", "четверг", "пятница", "суббота"}, shortDays: [7]string{"Вс", "Пн", "Вт", "Ср", "Чт", "Пт", "Сб"},
		}
	case 0x07:
		return &names{
			months: [12]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
			short:  [12]string{"Jan", "Feb", "Mrz", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"},
			days:   [7]string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"}, shortDays: [7]string{"So", "Mo", "Di", "Mi", "Do", "Fr", "Sa"},
		}
	case 0x0c:
		return &names{
			months: [12]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
			short:  [12]string{"janv", "févr", "mars", "avr", "mai", "juin", "juil", "août", "sept", "oct", "nov", "déc"},
			days:   [7]string{"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"}, shortDays: [7]string{"dim", "lun", "mar", "mer", "jeu", "ven", "sam"},
		}
	case 0x0a:
		return &names{
			months: [12]string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"},
			short:  [12]string{"ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"},
			days:   [7]string{"domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"}, shortDays: [7]string{"dom", "lun", "mar", "mié", "jue", "vie", "sáb"},
		}
	}
	n := &names{}
	for i := range n.months {
		n.months[i] = time.Month(i + 1).String()
		n.short[i] = n.months[i][:3]
	}
	for i := range n.days {
		n.days[i] = time.Weekday(i).String()
		n.shortDays[i] = n.days[i][:3]
	}
	return n
}

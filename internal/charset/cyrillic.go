package charset

import "unicode"

// cyrillicOrder is the order of rows and columns of cyrillicBigrams; the
// space stands for everything that is not a letter of it.
const cyrillicOrder = " абвгдежзийклмнопрстуфхцчшщъыьэюяё"

// cyrillicBigrams has for each letter (row) the surprise of the one that
// follows (column) in quarter nats, as a character counted from '0', at most
// 40. It was counted over 3.6 million characters of Russian encyclopaedia and
// news text (Wikipedia and MuSeRC passages).
const cyrillicBigrams = "" +
	"X?=9>=@C?;M;@=:;9=9=?BCE?EOXXXAIDU" +
	"6NA<B?>B=EB<:=9NA<<;GF@BADEXXXLA>J" +
	"?;IDQL9KO;XF:H?7S9AN<XDSPJ>A7KLHAH" +
	"68TIHG9XE:XC=G>8F>=C@UIMOAPS<FTWCH" +
	">:NHK=;XX:XF;IB3T:GK>RXRLPXXVXNPVX" +
	"<7M?KG7AJ9XC>F;8D=>H;XLFIFXK?CKKBE" +
	"6GB>><AB@H=>;<8DC9;:MIEEBDEXXXWIHF" +
	"A9CNL84JU7XBPN9@PLEX?UXPCWXXREIOSA" +
	"95B;B<=EL<XC@=9;Q?FO=XVKMPXK<ESMBK" +
	"6BD>B@<F==>=<<;AE><;MH>A>FHXXXRB<P" +
	"1MHJMBJXJOXCFD=CLH:@XMLCEBSXWXXXNX" +
	"97PCNS?BL8XH>JC5M;@<<UPCVOXXVWNRUS" +
	":8LPGH8DQ7XDAKB8ORAG>RSXLQTXB8P?;D" +
	"59EJKX7XQ8XFBB>9@LCR;LUJLUSX>EIO@H" +
	"<7MID@9OL7XBMT;7WK?>?GNBHNJT9BVJ@H" +
	"7L=9<;@AAC<?;;<E@;:;KGFGAEIXXXKGCM" +
	"D:WUXS9XV<XH=UD4C5GD>TVKKOUXBHPTDN" +
	">6FBAC7BO9XCEA?7IE@?;HFJJEQX>DMJ@H" +
	"<=H?OH<QX=X9<B?:=B=5?IFJDFWMC?OK;G" +
	"88J;TH9XT:XBFG>7J;<H>MPJHTRR?;OKCH" +
	"6C=A=;?<@GJ=<>>J<<;;RLAG<@?XXXI;IV" +
	"=9NXEX7XI5XO>IF7P9AB<?SQSPXXEIMGLE" +
	"2;TBPNBXL>XOBF@7R>AHAWPTUOXNSPJNXT" +
	";9O@MS6XI3X?INM?ROHU>XPJXRXX=XUNRX" +
	"@7XLXT5LX8X?CL9HSFL8?XSXNEXXXASXX@" +
	"C8SAXX5XX6X;;H==IGJ>>XXHUXXXS?OOU@" +
	"F7XPXX4XX4XXXXAMXIXX>XXXXXXXXAXXX<" +
	">NNNNN3NNNNNNNNNNNNNNNNNNNNNNNNB4:" +
	"5XC<ED9IDJ:A::@XBA>>UX8NB@OXXXXXJX" +
	"3XBGEF>X?CX<X?7JJT;?XGMEF=KXXXX=>G" +
	"@LF@GALIGJA9:>;K=<@3I?HMWGWWWWMSPW" +
	"4H=JB<RA?MID@E@QI?A7TMKC=H9XXXMEXX" +
	"2XB=G@>C?IGD?>=QGCA;UXAECMAXXXX@FX" +
	"6WF@BAWA?WEA;96WD:@7WW@RLELWWWWPWW"

// cyrillicIndex maps U+0400 to U+045F to the order above, 0 for the letters of other languages.
var cyrillicIndex = func() (t [0x60]int) {
	i := 0
	for _, r := range cyrillicOrder {
		if r >= 0x400 {
			t[r-0x400] = i
		}
		i++
	}
	return t
}()

const cyrillicLetters = 34

// bigram returns the log-likelihood of the letter b after a, either of which may be a space.
func bigram(a, b rune) float64 {
	i, knownA := cyrillicRank(a)
	j, knownB := cyrillicRank(b)
	if !knownB {
		// Ukrainian, Belarusian, Serbian and others: rarer here, but normal letters.
		switch unicode.ToLower(b) {
		case 'і', 'ї', 'є', 'ґ', 'ў', 'ј':
			return -4.2
		}
		return -6.5
	}
	if !knownA {
		return -3
	}
	return -float64(cyrillicBigrams[i*cyrillicLetters+j]-'0') / 4
}

func cyrillicRank(r rune) (int, bool) {
	r = unicode.ToLower(r)
	if r < 0x400 || r >= 0x530 {
		return 0, true
	}
	if r >= 0x460 || cyrillicIndex[r-0x400] == 0 {
		return 0, false
	}
	return cyrillicIndex[r-0x400], true
}

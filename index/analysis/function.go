package analysis

import "strings"

// functionWords are the articles, pronouns, prepositions, conjunctions,
// auxiliaries and question words that carry no topic in English and Russian.
var functionWords = words(`
a an the this that these those
i me my we us our you your he him his she her it its they them their
who whom whose which what when where why how
is are was were be been being am do does did have has had having
will would shall should can could may might must
and or but if then than so as of at by for with from to in on into onto about
over under between during before after not no nor
there here also any some such each

а и но или да же ли бы не ни что чтобы как так то это этот эта эти того этого
тот та те той тех этой этих этом том
я мы ты вы он она оно они меня нас тебя вас его ее их мне нам тебе вам ему ей им
мой моя мое мои наш наша наше наши твой ваш ваша ваше ваши свой своя свое свои
кто кого кому чем чего чему ком какой какая какое какие каких какого какой каком
который которая которое которые которого которой которых котором
где когда куда откуда почему зачем сколько
в во на с со к ко о об обо от до из у за по под над при про для без через между
был была было были быть есть будет будут ли уже еще также тоже если
`)

// Content returns text without its function words, or text if nothing else is in it.
func Content(text string) string {
	var kept []string
	var tokens []Token
	for word := range strings.FieldsSeq(text) {
		tokens = Append(tokens[:0], word)
		if n := len(tokens); n == 0 || tokens[n-1].Position > 0 || !isFunction(tokens) {
			kept = append(kept, word)
		}
	}
	if content := strings.Join(kept, " "); len(Tokens(content)) > 0 {
		return content
	}
	return text
}

// functionStems are the basic forms of functionWords, for pieces of compounds.
var functionStems = func() map[string]bool {
	stems := make(map[string]bool, len(functionWords))
	for w := range functionWords {
		stems[basic(w)] = true
	}
	return stems
}()

func words(list string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

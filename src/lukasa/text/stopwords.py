"""Words that say nothing about what a text is about, in the languages that we meet most.

For concept tags and for search queries alike, hence question words, and hence no word with a meaning of its
own in English or in computing: Go, AI, CI, EU and OS, Spanish "todo", "son", "sin" and "solo", German
"war", "die" and "mit", French "car", "plus" and "pour", Portuguese "dos". Always true: casefolded, NFC; a
contraction stands as its halves ("don't": don); Spanish words stand without their accents too, as many
people type them.
"""

from __future__ import annotations

import unicodedata

_ENGLISH = """
a an the this that these those such same other another each every either neither both all any some few
several many much more most less least own no none not nor only just very too so quite rather almost enough
even still yet already again ever never always often sometimes usually also as than then thus hence
therefore however though although and or but if else unless because since while until when whenever where
wherever why how what whatever which whichever who whom whose whoever whether i me my mine myself we us our
ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its itself they
them their theirs themselves one ones someone somebody something anyone anybody anything everyone everybody
everything nobody nothing am is are was were be been being do does did done doing have has had having can
could may might must shall should will would ought cannot let lets get gets got gotten getting goes going
gone went come comes coming came make makes made making put puts take takes took taken give gives gave given
seem seems seemed at by for from in into of off on onto out over under up upon down to toward towards with
within without about above across after against along among around before behind below beneath beside
besides between beyond during except inside near outside per through throughout till via versus here there
now today yesterday tomorrow once twice soon later ago away back maybe perhaps yes okay ok please thanks
like really actually basically simply etc eg ie vs don doesn didn isn aren wasn weren haven hasn hadn won
wouldn couldn shouldn mustn needn ain ll ve re dont doesnt didnt isnt arent wasnt werent cant wont im ive
youre theyre thats whats
"""

_SPANISH = """
el la los las lo un una unos unas al del de en y e o ni pero sino que qué quien quién quienes quiénes cual
cuál cuales cuáles cuyo cuya como cómo cuando cuándo donde dónde adonde adónde cuanto cuánto cuanta cuánta
cuantos cuántos porque porqué pues aunque si sí mientras yo tú él ella ello nosotros nosotras vosotros
vosotras ellos ellas usted ustedes mí mi mis tu tus su sus se nos le les te nuestro nuestra nuestros
nuestras vuestro vuestra suyo suya mío mía conmigo contigo este esta esto estos estas ese esa eso esos esas
aquel aquella aquello aquellos aquellas otro otra otros otras mismo misma mismos mismas cada toda todos
todas algo alguien algún alguno alguna algunos algunas nada nadie ningún ninguno ninguna mucho mucha muchos
muchas poco poca pocos pocas más menos muy tanto tanta también tampoco ya aún todavía siempre nunca jamás
aquí allí ahí ahora hoy ayer entonces luego después antes así bien casi quizá quizás con por para desde
hasta hacia entre sobre según durante contra ante bajo tras es eres soy somos sois fue fui fueron ser sido
siendo está están estoy estás estamos estaba estaban estar hay había haber he han hemos hubo tiene tienen
tengo tener tenía hace hacen hacer hizo puede pueden puedo poder debe deben va voy vamos
"""

_GERMAN = """
der das dem des ein eine einen einem einer eines kein keine keinen und oder aber sondern denn weil wenn als
ob dass daß wer wen wem wessen was welche welcher welches welchen wann wo wohin woher warum wieso weshalb
wie ich du er sie es wir ihr mich mir dich ihn ihm uns euch ihnen sich mein meine dein deine sein seine
unser unsere euer eure dieser diese dieses diesen diesem jener jene jenes jeder jede jedes alle allem allen
alles etwas nichts ist bist sind seid waren gewesen wird werden wurde wurden worden hatte haben habe kann
können muss müssen soll sollen darf dürfen möchte macht im am zum zur vom beim nach von bei seit aus zu für
durch gegen ohne um über unter auf vor hinter neben zwischen nicht noch nur auch schon sehr so dann da hier
dort jetzt heute immer nie mehr wieder doch ja nein
"""

_FRENCH = """
le les un une des du de et ou mais donc ni que qui quoi quel quelle quels quelles quand où comment pourquoi
combien dont lequel laquelle je tu il elle nous vous ils elles me te se moi toi lui leur leurs mon ma mes ta
tes sa notre nos votre vos ce cet cette ces cela ça ceci celui celle ceux celles tout tous toute toutes
autre autres chaque quelque quelques aucun aucune rien personne même est sont suis sommes êtes était étaient
être été avons avez ont avait avoir fait faire peut peuvent va vont dans sur sous avec par chez vers entre
depuis avant après contre ne pas jamais moins très trop aussi bien encore déjà toujours ici là maintenant
alors puis au aux qu
"""

_PORTUGUESE = """
o uma uns umas da das do na nos num numa ao aos à às pelo pela pelos pelas e ou mas que quem qual quais
quando onde como porque quanto quantos tu ela nós vós eles elas você vocês me te lhe meu minha meus minhas
teu tua seu sua seus suas nosso nossa este esta isto esse essa isso aquele aquela aquilo outro outra cada
tudo algum alguma nada ninguém muito muita pouco mais menos também já ainda sempre nunca aqui ali agora hoje
então é são sou foi foram ser está estão estou estava estar têm tinha há faz fazer pode podem vai vão com
para por sem sobre até desde entre não sim
"""

_ITALIAN = """
il gli uno una di del dello della dei degli delle al allo alla agli alle dal dalla nel nella nei nelle
sul sulla con per tra fra su ma perché che chi cosa quale quali quando dove quanto tu lui lei noi voi
loro mi si mio mia miei tuo tua suo sua nostro nostra questo questa questi queste quello quella quelli
quelle altro altra ogni tutto tutti tutta tutte qualche nessuno niente molto molta poco più meno anche già
ancora sempre mai qui là oggi così è sono siamo erano essere stato ha hanno ho abbiamo aveva avere fa può
possono va non
"""


def _words(table: str) -> frozenset[str]:
    return frozenset(table.casefold().split())


def _without_accents(words: frozenset[str]) -> frozenset[str]:
    decomposed = (unicodedata.normalize("NFD", word) for word in words)
    return frozenset("".join(char for char in word if not unicodedata.combining(char)) for word in decomposed)


ENGLISH_STOP_WORDS = _words(_ENGLISH)
SPANISH_STOP_WORDS = _words(_SPANISH) | _without_accents(_words(_SPANISH))
STOP_WORDS = (
    ENGLISH_STOP_WORDS
    | SPANISH_STOP_WORDS
    | _words(_GERMAN)
    | _words(_FRENCH)
    | _words(_PORTUGUESE)
    | _words(_ITALIAN)
)

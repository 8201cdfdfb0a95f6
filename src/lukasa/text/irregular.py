"""English words whose forms no stemmer brings together: what is asked with "buy" was told with "bought".

Always true: a form that is also a word of its own stays as it is (saw, left, found, felt, better).
"""

from __future__ import annotations

_FORMS = """
arise arose arisen; awake awoke awoken; bear borne; beat beaten; become became; begin began begun; bend
bent; bite bitten; bleed bled; blow blew blown; break broke broken; breed bred; bring brought; build
built; burn burnt; buy bought; catch caught; child children; choose chose chosen; cling clung; creep
crept; deal dealt; dig dug; draw drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate
eaten; fall fallen; feed fed; fight fought; flee fled; fling flung; fly flew flown; foot feet; forbid
forbade forbidden; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; goose geese;
grow grew grown; half halves; hang hung; hear heard; hide hid hidden; hold held; keep kept; kneel knelt;
knife knives; know knew known; lay laid; lead led; lean leant; leap leapt; learn learnt; lend lent; loaf
loaves; lose lost; man men; mean meant; meet met; mistake mistook mistaken; mouse mice; overcome overcame;
pay paid; person people; ride rode ridden; ring rang; rise risen; run ran; see seen; seek sought; sell
sold; send sent; sew sewn; shake shook shaken; shelf shelves; shine shone; show shown; shrink shrank
shrunk; sing sang sung; sink sank sunk; sit sat; sleep slept; slide slid; speak spoke spoken; speed sped;
spend spent; spin spun; spring sprang sprung; stand stood; steal stole stolen; stick stuck; sting stung;
strike struck; strive strove striven; swear swore sworn; sweep swept; swim swam swum; swing swung; teach
taught; tear tore torn; tell told; thief thieves; think thought; throw threw thrown; tooth teeth;
understand understood; wake woke woken; wear wore worn; weave wove woven; weep wept; wife wives; withdraw
withdrew withdrawn; wolf wolves; woman women; write wrote written
"""

IRREGULAR = {
    form: word
    for word, *forms in (line.split() for line in _FORMS.replace("\n", " ").split(";"))
    for form in forms
}

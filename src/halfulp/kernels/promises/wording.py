"""Wording: how the texts of problems mention ties, strides, NaN, gradients and so on; what a clause says of them is up to `clauses`."""

from __future__ import annotations

import math
import re

from .expressions import NUMBER
from .sentences import NAME

ANY_SHAPE = re.compile(r"\b(?:any|arbitrary) (?:shape|rank|number of (?:axes|dim(?:ension)?s))\b", re.IGNORECASE)
NOT_HELD = re.compile(
    r"\b(?:anything(?! else)|any bits|garbage|ignored|irrelevant|unused|uninitiali[sz]ed|beyond|outside|padding|padded"
    r"|(?:never|not) (?:read|used|looked at|touched)|no (?:effect|influence|meaning))\b",
    re.IGNORECASE,
)
"""Marks a sentence that is about numbers on which no result depends."""
PASSED_OVER = re.compile(r"\b(?:NaNs?|inf\w*)\b(?:, (?:which|they|these))?(?: \w+){0,3}? (?:is|are|be) ignored\b", re.IGNORECASE)
"""Says of NaN what a result makes of it, and not that it has no effect where it is."""
INFINITE = r"(?:inf(?:inity|inities|s)?|oo)\b"
CALLED = r"(?:(?:torch|math|np|numpy|jnp)\.|float\(['\"])"
SPECIALS = {
    math.nan: re.compile(r"(?<!\w)NaNs?\b(?!\()|\bisnan\b|\bnot[- ]a[- ]number\b", re.IGNORECASE),
    math.inf: re.compile(
        rf"(?<![\w.])(?<!-)(?<!- )(?<!minus )(?<!negative )(?<!\d, )(?<!\d,)(?:\+ ?)?(?<!-float\(['\"])(?:{CALLED})?{INFINITE}"
        rf"|\+/?-{INFINITE}|\binfinite (?:values?|numbers?|entr|elements?)|\b(?:be|is|are|become) infinite\b",
        re.IGNORECASE,
    ),
    -math.inf: re.compile(
        rf"(?:- ?|\b(?:minus|negative) )(?:{CALLED})?{INFINITE}(?!, \+?(?:\d|inf)[\w.]*[)\]])"
        r"|(?<![\w+])(?<!positive )(?<!plus )(?:infinit(?:y|ies)|infs)\b|\binfinite (?:values?|numbers?|entr|elements?)|\b(?:be|is|are"
        r"|become) infinite\b",
        re.IGNORECASE,
    ),
}
"""How a text mentions NaN and infinities; the ends of an interval, [0, inf), are none."""
FINITE = re.compile(
    r"(?<!one )(?<!non-)(?<!non )(?<!not )(?<!n't )(?<!not all )(?<!n't all )(?<!not be )(?<!necessarily )"
    r"(?<!a )(?<!any )(?<!the )\bfinite\b(?![- ](?:difference|element|impulse|state|ones?\b))"
    r"|(?<=\ba )finite(?= numbers?\b(?! of))|\b(?:assert\w*|checks?|checked|verif\w+|TORCH_CHECK)\b[^;]{0,40}\bisfinite\b(?=\()",
    re.IGNORECASE,
)
COMES = re.compile(r"\b(?:comes?|occurs?|appears?|arrives?|reach\w*|passed|fed|drawn|generated|holds?|contains?)\b", re.IGNORECASE)
"""Said of what inputs hold, and not of what a kernel has to handle."""
NOT_FINITE = re.compile(r"\b(?:not|isn't|aren't) (?:all )?finite\b|\bnon[- ]?finite\b", re.IGNORECASE)
PROPAGATES = re.compile(r"\bpropagate", re.IGNORECASE)
"""If said of NaN and infinities without naming an input, it is said of all of them."""
EXCEPT = re.compile(r"\b(?:except|unless|at least|otherwise|if|when|whenever|where|while)\b", re.IGNORECASE)
"""Marks a sentence that does not hold of every number, or not always."""
POLES = re.compile(
    r"(?:\b(?:has|have|is|are|be|gives?|returns?|yields?|becomes?|produces?|comes? out)\b|=)"
    r"(?:(?!\b(?:not|never|no)\b)[^.;,]){0,40}?(?<!\w)(?:[-+]*inf\b|(?:minus )?infinit)",
    re.IGNORECASE,
)
"""Says that something is infinite."""
SIGNED = re.compile(
    r"(?<!non-)(?<!non)\bnegative\b(?! (?:inf|one\b|log|axis|axes|dim|slope|part|side|half|sample|example))|\b(?:any|either"
    r"|both) signs?\b|\[ *-|\bsigns? (?:of \w+ )?(?:is|are) (?:arbitrary|free|unrestricted)\b|\b(?:values?|entries|entry|elements?"
    r"|components?|numbers?|coefficients?|weights?"
    r"|samples?) (?:that (?:is|are) )?"
    r"(?:below|less than|under|smaller than) (?:0|zero)(?![.\d])"
    r"|\b(?:may|can|could|might|does|do) (?:\w+ )?(?:be|go|drop|fall|dip|lie) (?:below|under|less than|smaller than) (?:0|zero)(?![.\d])",
    re.IGNORECASE,
)
"""Says that numbers may be negative, although no drawn one is."""
ZEROS = re.compile(
    r"\bzeros? (?:(?:in|among) \w+ )?(?:(?:must|have to|has to|should|are to|is to|can) be (?:expected|handled|reckoned with|dealt with)"
    r"|(?:do |does )?(?:occurs?|appears?|turns? up|shows? up|happens?)\b)|\b(?:expect|beware of) (?:\w+ )?zeros?\b|"
    r"\bzeros? (?:is|are) (?:common|allowed|possible|frequent|usual)\b|\bmay (?:be|hold|contain|have) (?:\w+ )?(?:0|zeros?)(?![.\d])"
    r"|\b(?:some|many|a few) (?:\w+ ){0,3}?(?:are|may be|hold) (?:exactly )?(?:0|zeros?)(?![.\d])",
    re.IGNORECASE,
)
"""Says that zeros are among the numbers, although none is drawn."""
ASCENDING = re.compile(
    r"\b(?:increasing|ascending|non-?decreasing|nondescending|monotone|monotonic(?:ally)?)\b|\b(?:pre-?)?sorted\b|\bin (?:rising"
    r"|increasing) order\b"
    r"|\bincreases? (?:strictly|monotonically)\b|\b(?:strictly|monotonically) increases?\b"
    r"|\bnever (?:decreas\w+|falls?)\b|\b(?P<array>\w+)\[\w+\] ?<=? ?(?P=array)\[\w+ ?\+ ?1\]"
    r"|\b(?P<first>\w+)\[0\] ?<=? ?(?P=first)\[1\] ?<=?|\b(?P<letter>[a-z]+)_?[01] ?<=? ?(?P=letter)_?[12] ?<=?"
    r"|\bordered (?:\w+ )?from (?:the )?(?:low|small|early)\w*\b|\bnever (?:goes|go) (?:down|back)\b|\bin chronological order\b",
    re.IGNORECASE,
)
DESCENDING = re.compile(
    r"(?<!non-)(?<!never )\b(?:decreas(?:ing|e|es)|descending)\b|\b(?:large(?:st)?|high(?:est)?|big(?:gest)?) (?:to|first)\b"
    r"|\b(?:largest|highest) first\b",
    re.IGNORECASE,
)
STRICTLY = re.compile(
    r"\bstrictly\b|\] ?< ?\w+\[\w+ ?\+ ?1\]|\[0\] ?< ?\w+\[1\]|\b[a-z]+_?[01] ?< ?[a-z]+_?[12]\b|\bdistinct\b|\bunique\b", re.IGNORECASE
)
"""Says that no two sorted numbers are equal."""
REPEATS = re.compile(
    r"\b(?:duplicates?|duplicated|repeats?|repeated|repetitions?|twice|equal (?:neighbou?rs|elements|values|entries))\b",
    re.IGNORECASE,
)
"""If denied of sorted numbers, no two of them are equal."""
COMPARED = re.compile(rf"(?P<one>{NAME})(?:\[[^\]]*\])?\s*(?:[<>]=?|==)\s*(?P<other>{NAME})")
"""Two names, or elements of them, and a sign of comparison between them."""
RANKED = (
    r"(?:values?|scores?|keys?|elements?|entries|entry|maxima|minima|logits?|candidates?|items?|ranks?|numbers?|indices|boxes|ones"
    r"|experts?|distances?)"
)
TIES = re.compile(
    rf"\bties?\b(?! (?:to|with|together)\b(?! even| the| go))|\btied {RANKED}\b|\b{RANKED} (?:\w+ ){{0,3}}?(?:are|is"
    r"|being) tied\b(?! (?:to|with|together))|\ba draw\b|\bdraws (?:are|go|is)\b"
    r"|\bequal (?:\w+ )?(?:values?|scores?|keys?|probabilit\w+|numbers?|elements?|logits?|distances?|largest|ones?|maxima)\b"
    r"|\b(?:compare|are|is|rank) equal\b|\bequally (?:large|good|small|close|likely|near|far|high|low|distant|big|probable|short|long)\b"
    r"|\bthe (?:one|candidate|entry|element|index|position)s? (?:that (?:is |was |comes |came |appears |occurs )?)?(?:met|seen"
    r"|found|encountered|visited"
    r"|coming|listed|appearing|occurring|stored)? ?(?:first|earliest|earlier|last)\b(?= in| on|$|[,;.]| is| are| wins| counts"
    r"| gets| receives| takes)"
    r"|\bthe (?:earlier|earliest|latest|leftmost|rightmost|lower-numbered|lowest-numbered) (?:one|of (?:them|these|those|the two))\b"
    r"|\b(?:lowest|lower|smallest|smaller|first|last|highest|earliest|latest|leftmost) "
    r"(?:index|number|position|occurrence|max(?:imum|imal)?(?! (?:over|of)\b)|one (?:counts|wins))\b"
    r"|\bthe first \w+ (?:on|at|in|for) which\b|\b(?:lowest|first|smallest|last)(?: \w+)? (?:index|position)\b"
    r"|\b(?:max|min|largest|smallest|value|score|logit)\w* (?:is |are |may be |\w+ )?(?:attained|occurs?|reached|achieved"
    r"|appears?) (?:more than once|several times|multiple times|repeatedly)\b"
    r"|\b(?:several|multiple|two|more than one) (?:\w+ )?(?:share|attain|reach|have) (?:the |a )(?:\w+ )?(?:max|min|larg|small|value"
    r"|score)\w*"
    rf"|\b(?:case of|event of|among|between|with|have|for) (?:two |several |the )?(?:identical|equal) {RANKED}\b|\bthe same (?:key"
    rf"|score|distance)s?\b(?! of)"
    r"|\b(?:keep|keeps|preserves?|retains?) (?:their|the) (?:original|relative|input) (?:relative )?order\b"
    r"|\b(?:stay|remain|kept) in (?:their|the) (?:original|input|given) (?:relative )?order\b"
    r"|(?<!numerically )\bstable (?:sort|order|argsort)\w*|\bsort(?:ing|ed)? (?:\w+ ){0,3}?stabl[ey]\b|\bstably\b"
    r"|\(strictly\)|\bstrictly (?:less|greater|larger|smaller|more|fewer|above|below)\b|\banswer is unique\b",
    re.IGNORECASE,
)
FREE = re.compile(
    r"\b(?:unspecified|undefined|arbitrar\w+|implementation[- ]defined|irrelevant|in any order|either way|any way"
    r"|any (?:one )?of (?:them|these|those|the \w+|its|their)\b|whichever(?: \w+)? (?:is|you|suits)|either (?:one )?(?:is|may|of"
    r"|index)|not (?:specified|defined|guaranteed|tested"
    r"|checked|compared)"
    r"|does(?:n't| not) matter|no (?:difference|importance|consequence)|(?:equally|all) (?:valid|correct|acceptable|right)"
    r"|(?:is|are|be) (?:equally |all )?accepted|at (?:your|the \w+'s) discretion|up to (?:you|the (?:implementation|kernel|author"
    r"|solution)))\b",
    re.IGNORECASE,
)
"""A sentence that leaves open what happens to equal numbers."""
TO_EVEN = re.compile(r"ties? to even|half to even", re.IGNORECASE)
ROUNDS = re.compile(
    r"\b(?:ties? to even|half to even|round(?:s|ed|ing)? half|half away|round(?:s|ed)? to (?:the )?nearest|ties away)", re.IGNORECASE
)
UNMASKED = r"(?:valid|allowed|unmasked|visible|true|kept|left|real|active|attendable|permitted|selected|non-padding|unpadded)"
POSITIONS = r"(?:keys?|positions?|entr(?:y|ies)|elements?|tokens?|columns?|slots?|values?|scores?|logits?|frames?)"
NOTHING = re.compile(
    r"\b(?:fully|entirely|completely|all|wholly|totally)[- ](?:masked|padded|padding|hidden|blocked|false|-inf)\b"
    r"|\bmasked (?:out )?(?:entirely|completely|fully|as a whole|from end to end|everywhere|throughout)\b"
    rf"|\b(?:all|every|each)(?: of)?(?: (?:its|their|the))? {POSITIONS}(?: (?:of|in) (?:\w+ ){{0,2}}\w+)?(?: (?:is|are|being|have been"
    r"|were))?(?: all)? (?:masked|padding|padded|hidden|blocked|False|invalid)\b"
    r"|\b(?:mask\w*|rows?) (?:that |which |of \w+ )?(?:is|are|has|have|being) (?:only |all |entirely |completely )(?:false|invalid)\b"
    r"|\bmask\w* (?:\w+ ){0,3}?(?:(?:all |only )(?:zeros?|0s?)\b|(?:zeros?|0s?) (?:everywhere|throughout|there)\b)|\b(?:false"
    r"|-inf) (?:everywhere|throughout"
    r"|at all positions|for all|in all|at every)\b|\ball[- ](?:false|-inf)\b|\bonly (?:masked|false|padding)\b"
    rf"|\bnothing (?:to|is (?:left|{UNMASKED})|left|remains|{UNMASKED}|at all)\b|\b(?:of|over|attends?(?: to)?|with|sees?) nothing\b"
    r"|\bwithout any (?!padding|mask|loss|cop|sync|need|further|additional|special|change|rounding|intermediate|extra|alloc|branch"
    r"|temporar)"
    rf"|\bno (?:{UNMASKED}|keys?)\b|\bno \w+ (?:is|are) {UNMASKED}\b|\bno \w+ to attend to\b"
    r"|\b(?:everything|all of (?:it|them)) (?:is|are) (?:masked|hidden|padding)\b"
    rf"|\bnone of (?:its|the|their) \w+ (?:is|are) {UNMASKED}\b"
    r"|\bonly masked\b|\bno such\b|\bmask\w*(?:\[\w+\])?\.(?:sum|any)\([^()]*\) ?(?:==|is) ?(?:0|False)\b|\bnot mask\w*\.any\("
    r"|\b\w+ (?:cannot|can't|can not|may not|does not|doesn't|must not) (?:see|attend(?: to)?|look at|reach) any(?:thing| (?!other"
    r"|more|further)\w+)\b"
    r"|\b(?:that|which|who) (?:has|have) none\b|\b(?:leaves?|leaving|left with|keeps?|keeping) nothing\b"
    rf"|\b(?:hides?|removes?|excludes?|blocks?|rules? out|masks?(?: out)?) (?:everything|(?:all|every|each)(?: of)?(?: the"
    rf"| its)? {POSITIONS})\b",
    re.IGNORECASE,
)
TILES = re.compile(r"\b(?:tiles?|blocks?|chunks?|warps?|programs?)\b", re.IGNORECASE)
"""Parts that kernels work on, and no rows of inputs."""
SINGLE = r"(?:float32|fp32|f32|single[- ]precision|single precision|full precision|32-bit)"
SUMS = (
    r"(?:sums?|summ\w+|added|add\w* up|additions?|accumulat\w+|reduc(?:tions?|ed|e)|means?|averag\w+|variances?|statistics|moments?|norms?"
    r"|dot[- ]products?|totals?)"
)
ONCE = re.compile(
    r"\brounded (?:only )?once\b|\b(?:one|a single|just one|only one|single) (?:final )?rounding\b"
    rf"|\ball (?:the )?(?:arithmetic|math|computations?|calculations?|intermediates?|intermediate \w+) (?:\w+ ){{0,3}}?(?:in )?{SINGLE}\b"
    r"|\b(?:added|summed|accumulated|multiplied|computed|sums?|products?|intermediates?|intermediate \w+)\b[^.;]{0,40}\b(?:not"
    r"|never) (?:be )?rounded\b"
    r"|\bnot rounded before\b|\b(?:no|without) (?:any )?intermediate rounding\b|\bwithout (?:any |being )?round(?:ing|ed)\b",
    re.IGNORECASE,
)
"""Says that results alone are rounded."""
FLOAT32 = re.compile(
    rf"\b{SUMS}\b(?:(?!\b(?:not|never|no|may|can|could|might)\b)[^.;]){{0,40}}\b(?:in|as|to|at"
    rf"|using) (?:an? )?{SINGLE}\b(?! (?:tensor|output|result|vector|scalar))"
    rf"|\b{SUMS}\b(?:(?!\b(?:not|never|no|may|can)\b)[^.;]){{0,40}}\bwith {SINGLE} (?:precision|arithmetic|accumul\w+)\b"
    rf"|\b{SUMS}\b[^.;]{{0,20}}\b(?:must|may|should|shall) not (?:be )?(?:\w+ )?in (?:bf16|bfloat16|fp16|float16|half)\b"
    rf"|\b{SUMS}\b[^.;]{{0,30}}\bin (?:a )?(?:higher|full|more) precision\b"
    rf"|(?<!to )\b{SINGLE} (?:accumulat\w+|sums?|reductions?)\b"
    rf"|\b(?:up|down)?(?:cast|conver(?:ted|sion)|promot(?:ed|ion)|widen(?:ed|ing)|upcast(?:ing)?) to (?:{SINGLE}"
    rf"|float)\b(?: \w+)?? (?:before"
    rf"|prior to|ahead of) (?:\w+ ){{0,3}}?(?:{SUMS}|exponenti\w+|softmax|squar\w+|normali\w+)\b"
    rf"|\b{SINGLE} accumulators? (?:is|are) (?:required|mandatory|necessary|needed)\b",
    re.IGNORECASE,
)
"""Says that sums, or statistics, are in float32; what is done with them afterwards may be rounded.

Not "computed in float32": that is said of kernels that round the factors of a product to 16 bits, as GPUs multiply them.
"""
ALLOWED = re.compile(
    r"\b(?:may|might|can|could|recommended|preferable|suggested|allowed|permitted|acceptable|fine|free to|optional(?:ly)?|either"
    r"|nice to have|no requirement"
    r"|desirable|possible|welcome|your choice)\b",
    re.IGNORECASE,
)
"""Says that something may be done, and does not demand it."""
NOT_PIECES = (
    r"(?:NaN|inf|denormal|subnormal|duplicat|neg|zero|tie|gap|padd|gradient|stride|gaps|special|other|more|repeat|assum|un|bias|mask)"
)
EMPTY = re.compile(
    r"(?<![._])\bempty\b(?!\(|_)|\blengths? (?:is |are |of |may be |can be )?(?:from )?(?:0|zero)\b|\bzero[- ](?:lengths?"
    r"|sized?)\b|\bof size (?:0|zero)\b"
    rf"|\b(?:with|has|have|having|contains?|holds?|owns?|receives?|gets?|covers?|own|lists?) (?:no|zero|0) (?!{NOT_PIECES})\w+s\b"
    r"|\bwithout any \w+s\b|\bwithout (?:an?|one|any|a single) (?:\w+ )?(?:element|row|entry|token|item|member|edge|neighbou?r"
    r"|point|node|sample)\b"
    r"|\bwithout (?:elements|rows|entries|tokens|items|members|edges|neighbou?rs|points|nodes|values|samples"
    rf"|columns|positions)\b|\bno (?!{NOT_PIECES})\w+s? at all\b"
    r"|\b(?:0|zero) or more\b|\b(?:may|can|might) (?:have|hold|contain|own|receive|get) (?:none|nothing|(?:0|zero|no) \w+s)\b"
    r"|\b(?:counts?|lengths?|sizes?|num\w*|n_\w+)(?:\[\w+\])? == 0\b|\b(?:consecutive|neighbou?ring|adjacent|successive) \w+ (?:coincide"
    r"|are equal|may be equal)\b"
    r"|\b(?:lengths?|counts?|sizes?|numbers? of \w+|group|segments?|bags?) (?:\w+ )?(?:may|can|might|could) (?:also )?(?:be|equal) (?:0"
    r"|zero)\b",
    re.IGNORECASE,
)
CAN_BE_ZERO = re.compile(
    r"\b(?:may|can|might|could) (?:also |even )?(?:be|equal|contain|include|hold|have) (?:0|zero(?:s|es)?)(?![.\d])"
    r"|\b(?:some|any|a few)\b[^.;]{0,30}\b(?:is|are) (?:0|zero)(?![.\d])",
    re.IGNORECASE,
)
COUNTS_PIECES = re.compile(r"len|count|size|num|n_", re.IGNORECASE)
"""Names of integers that say how long pieces are."""
BOUND = re.compile(
    r"\b(?:at most|no more than|fewer than|up to)\s+[\w-]+\s+(?:\w+\s+)?"
    r"(?:rows?|nodes?|edges?|tokens?|elements?|entries|items?|points?|keys?|neighbou?rs?|frames?|bags?)\b"
    r"|\blongest\b|\bmaximum (?:length|size)",
    re.IGNORECASE,
)
NAMED_BOUND = re.compile(r"max|longest|limit|capacity", re.IGNORECASE)
"""Names that say how long a piece may be."""
CONDITION_NUMBER = re.compile(rf"\bcondition(?: number)?s? (?:is |are )?(?:up to|at most|below|under|of|<=?) (?P<of>{NUMBER})")
EXACT = re.compile(r"\bexactly\b|\bbit[- ](?:for[- ]bit|exact|identical)\b|\bbitwise (?:equal|exact|identical|the same)\b", re.IGNORECASE)
OVERFLOWS = re.compile(
    r"\boverflows? (?:\w+ )?(?:gives?|becomes?|to|is|are|yields?|produces?) (?:\w+ )?[+-]*(?:inf\b|infinit)", re.IGNORECASE
)
MAGNITUDES = re.compile(
    r"\b(?:all|any) magnitudes?\b|\b(?:sub|de)normals?\b"
    r"|\bany (?:finite )?(?:float32|float16|bfloat16|fp32|floating[- ]point) (?:values?|numbers?)\b",
    re.IGNORECASE,
)
DONE = (
    r"(?:needed|required|asked|taken|used|computed|requested|necessary|tested|evaluated|expected|checked|supported|run|implemented"
    r"|provided)"
)
TRAINED = re.compile(r"\btrain(?:ing)?[- ]mode\b|\btrain\(\)|\bboth modes\b|\b(?:in|during|while) training\b", re.IGNORECASE)
"""Says that a module is used in training mode."""
NO_GRAD = re.compile(
    r"\b(?:called|used|run|runs|invoked|executed|evaluated|wrapped|happens?|lives?|is|are|works?) (?:\w+ ){0,3}?(?:under|inside|in"
    r"|within|with) (?:a )?"
    r"(?:torch\.)?(?:no_grad|inference_mode)\b|\bunder (?:torch\.)?(?:no_grad|inference_mode)\b|\b(?:eval|evaluation|serving)[- ]only\b",
    re.IGNORECASE,
)
DIFFERENTIATES = re.compile(
    r"\bdifferentiat(?:es?|ed|ing)\b|\bbackprop\w*|\brequires_grad\b|\bautograd\b(?!\.Function)|\bback ?propagates?\b", re.IGNORECASE
)
"""Says that nothing has a gradient where it is denied."""
INFERENCE = re.compile(
    r"\bonly (?:used )?(?:for |in |at |during )?inference\b|\b(?:never|not|n't) (?:\w+ )?backprop\w*"
    r"|\b(?:inference|forward)(?: pass)?[- ]only\b|\bonly the forward (?:pass|result)?\b|\binference (?:kernel|op|layer|path)\b"
    r"|\b(?:nothing|none|no \w+) (?:requires?|needs?) (?:a )?grad\w*\b"
    rf"|\b(?:no|without) (?:gradients?|backward(?: pass)?|autograd)(?: support)?\b(?: (?:are|is) {DONE})?(?= *(?:[.,;:)]|$))"
    r"|\b(?:gradients?|backward(?: pass)?|autograd) (?:(?:is|are|will be|need) (?:not|never)|(?:is|are|do|does|need)n't)(?: (?:be"
    r"|need to be|have to be))?"
    rf"(?: {DONE})?(?= *(?:[.,;:)]|$))"
    r"|\b(?:need not|needn't|(?:does|do)(?:n't| not) (?:need|have) to) (?:be differentiable|support (?:autograd|gradients?"
    r"|backward|training))\b"
    r"|\b(?:do|does)(?:n't| not) require (?:any )?grad\w*|\b(?:needs?|requires?) no (?:grad\w*|backward)\b",
    re.IGNORECASE,
)
GRADIENTS = re.compile(
    r"\btrained through\b|\b(?:needs?|requires?) (?:an? )?(?:backward|gradients?)\b|\bgradients? (?:\w+ ){0,4}?(?:match|agree)\b"
    r"|\bdifferentiable\b|\bstraight-through gradient|\b(?:loss\.|\.)?backward\(\)|\bbackpropagat\w+|\bbackprop\b|\w\.grad (?:is|are|gets"
    r"|must)\b"
    r"|\b(?:gradients?|backward(?: pass)?|autograd) (?:[\w().,]+ ){0,8}?"
    r"(?:flows?|flow (?:to|through)|reach\w*|(?:are|is|be|gets?|get) (?:also |then |all |both )?(?:taken|needed|used|computed|asked|trained"
    r"|required|tested|checked|compared|evaluated|verified|correct|supported|implemented"
    r"|provided|exercised|matched))\b|\bsupports? (?:autograd|backward|gradients?|backprop\w*)\b"
    r"|\bautograd (?:has to|must|should|needs to|is to|will|shall) (?!not\b)(?:\w+ )?(?:work|run|flow|pass|go|see|reach|be able)\b"
    r"|\bautograd\.Function\b|\bgradcheck\b|\bforward and (?:the )?backward (?:pass(?:es)?|kernels?|results?)\b|\bboth passes\b"
    r"|\bbackward (?:pass )?(?:included|too|as well)\b|\b(?:used|called|needed|runs?) (?:for|in|during"
    r"|while) (?:both )?training\b(?! (?:data|set))"
    r"|\b(?:part|inside|within|in the middle) of (?:a|the|our) training (?:loop|step|run)\b|\b(?:are|is|be"
    r"|gets?) trained (?:through|with this|end[- ]to[- ]end"
    r"|jointly)\b|\bbackward(?: pass)? (?:must|has to|should|needs to|is to) (?!not\b)(?:\w+ )?(?:work|match|run|agree|be)\b"
    r"|\bwe train\b|\btrain(?:ed|ing)? (?:with|through) th(?:is|e) (?:layer|op|kernel|module)\b|\bdifferentiates? (?:through"
    r"|w\.?r\.?t|with respect)\b",
    re.IGNORECASE,
)
IN_PLACE = re.compile(
    r"\b(?:updat\w+|modif\w+|writ\w+|overwrit\w+|chang\w+|mutat\w+|stor\w+|scal\w+|sort\w+|computed?|happens?|works?|done|runs?"
    r"|operat\w+|appl\w+|add\w*|subtract\w*|multipl\w+|accumulat\w+|normali[sz]\w+|transform\w*|clamp\w*|rotat\w+|incremen\w+"
    r"|fill\w*|zero\w*|perform\w*|replac\w+)\b"
    r"[^.;]{0,40}\bin[- ]?place\b|[-+*/]=.{0,40}\bin[- ]?place\b|\bin[- ]place (?:\w+ )?(?:updates?|operation|op|version|variant"
    r"|modification|kernel)\b|\bin the (?:very |same )?(?:buffer|tensor|storage|memory) (?:that |which )?(?:was |is "
    r"|were )?(?:passed|given|handed)\b"
    r"|\b(?:like|as|i\.e\.|equivalent to) (?:\w+\.)+[a-z]\w*_(?!\w)|\bdata_ptr(?:\(\))? (?:must|has to|have to|should"
    r"|needs to) (?:be|stay|remain|equal|match)\b(?! (?:\w+ )?(?:align|divis|multip))",
    re.IGNORECASE,
)
OVERWRITTEN = re.compile(
    r"\b(?:is|are|be|gets?|being) (?:(?!not\b|never\b)\w+ )?(?:overwritten|mutated|modified|updated(?= (?:with|by|directly"
    r"|and returned)))\b",
    re.IGNORECASE,
)
OVERWRITES = re.compile(
    r"\b(?:(?:(?:results?|outputs?) goes? (?:in)?to)|(?:overwrit(?:es?|ing)|mutat(?:es?|ing)|modif(?:y|ies))"
    r"|(?:writ(?:es?|ing|ten)|stor(?:es?|ed|ing)) (?:[\w()'-]+ ){0,6}?(?:back )?(?:in)?to|(?:is|are|be|gets?) (?:stored|written"
    r"|put|placed|laid) (?:back )?(?:in|over|on top of|onto)"
    r"|(?:accumulat(?:es?|ed)|scatter(?:s|ed)|cop(?:y|ies|ied)) (?:[\w()'-]+ ){0,3}?into)\s+",
    re.IGNORECASE,
)
"""Said of an input that is named before it, or after it: that it is changed."""
GIVEN = r"(?:supplied|given|passed|provided|specified|present)"
LEFT_OUT = re.compile(
    r"\bor None\b|\bNone (?:for|means|disables|stands|if|to|turns|is (?:allowed|possible|accepted|passed))\b|\b(?:[Ii]f|[Ww]hen|[Ww]ith"
    r"|[Pp]ass(?:ing)?) None\b"
    r"|\b(?:may|can|might|could) (?:also )?be (?:None|omitted|left out|absent|missing|not given)\b"
    rf"|\b(?:[Ii]f|[Ww]hen|[Ww]here) no \w+ (?:is|are) {GIVEN}\b|\b(?:called|used) without (?!any)"
    r"|\b[Dd]efault(?:s to|:| is)? None\b|\b[Oo]ptionally\b|\b(?:[Ii]f|[Ww]hen|[Ww]here) (?:it is |they are )?(?:omitted|absent|None"
    r"|left out)\b"
    r"|\b(?:need not|needn't|(?:does|do)(?:n't| not) (?:need|have) to) be (?:given|passed|supplied|provided|specified|present)\b"
    rf"|\bunless (?:(?:one|it|they) (?:is|are) )?{GIVEN}\b"
    r"|\bin (?:its|their) absence\b|\bin the absence of\b"
    rf"|\b(?:[Ii]f|[Ww]hen|[Ww]henever|[Ww]here) (?:\w+ )?(?:is |are )?(?:omitted|absent|None|left out|missing|not {GIVEN}|(?:isn't"
    rf"|aren't) {GIVEN})\b"
)
"""Says that an argument need not be given."""
NOT_PASSED = re.compile(
    r"\b(?:[Cc]allers?|[Uu]sers?|[Yy]ou|[Oo]ne|who|that|[Ss]imply|[Jj]ust|may|[Ii]f \w+|[Tt]hey) (?:do not|don't|does not|doesn't|not) "
    r"(?:hand (?:over|in)|pass(?: in)?|supply|provide|specify)\b"
)
"""Says that whoever calls need not give what is named after it."""
OPTIONAL = re.compile(r"\boptional\b", re.IGNORECASE)
TOGETHER = re.compile(r"\b(?:together|both|neither|all or none)\b", re.IGNORECASE)
LOADED = re.compile(
    r"\bcheckpoints?\b|\b(?:load_)?state_dicts?\b|\b(?:is|are|be)\s+(?:\w+\s+)?(?:trained|learned|learnt|fine-?tuned|calibrated)\b",
    re.IGNORECASE,
)
"""Said of buffers that a module computes, and that may hold anything else later."""
FIXED = re.compile(r"\b(?:fixed|constants?|stays? as|unchanged|never|comput\w+|constructor|constructed|deterministic)\b", re.IGNORECASE)
"""Says that they don't."""
IT = re.compile(r"\b(?:it|its|they|them|these)\b", re.IGNORECASE)
WEIGHTS = re.compile(r"\b(?:weights?|parameters?|scales?|bias(?:es)?)\b", re.IGNORECASE)
CONTIGUOUS = re.compile(
    r"(?<!non-)(?<!non)(?<!make it )(?<!made )(?<![._])\bcontiguous\b(?!\(| along\b)|\bcontiguity\b(?= (?:of|is|may|can))|\b(?:densely"
    r"|tightly) (?:packed|stored|laid)\b|\b(?:packed|dense)(?= (?:and |, )?(?:row-major|in (?:C|row)\b))"
    r"|\b(?:assert\w*|TORCH_CHECK|CHECK\w*|checks?|checked|verif\w+|ensures?|requires?)\b[^;]{0,60}\bis_contiguous\("
    r"|\b(?:in|is|are|stored|laid out|kept|held|passed)(?: an?)?(?: \w+)? (?:C[- ]order|row-major)\b|\bC[- ]contiguous\b",
    re.IGNORECASE,
)
ANY_STRIDES = (
    r"\b(?:any|arbitrary|whatever|other|different|general|custom|non-?unit|non-?standard|unusual|their own|its own) (?:\w+ )?strides?\b"
    r"|\bstrides? (?:\w+ ){0,5}?(?:may|might|can|could|need|do|does) (?:\w+ )?(?:be|differ|vary|exceed|have)\b|\b(?:any"
    r"|arbitrary) (?:memory )?layout\b"
    r"|\b(?:assum\w+|assumptions?|nothing) (?:\w+ ){0,4}?(?:memory )?(?:layout|strides?)\b"
)
VIEWS = (
    r"\b(?:transposed|permuted|sliced|strided|expanded|broadcast(?:ed)?) (?:\w+ )?(?:views?|tensors?|inputs?|slices?)\b|\bviews? of an?\b"
    r"|\bor (?:\w+ )?(?:views?|slices?)\b|\bslices? of (?:an?|one|the same|another|larger|wider)\b|\b(?:be|is"
    r"|are) (?:ever )?an? (?:mere |strided )?view\b|\bthe transpose of\b|\bcontiguous or\b"
)
STRIDES = re.compile(
    r"\bnon-?contiguous\b|\bnot contiguous\b|\b(?:any|whether|either|may|need)\b[^,]*\b(?:contiguous or|contiguous or not)\b"
    rf"|{ANY_STRIDES}|{VIEWS}"
    r"|\bcolumn[- ]major\b|\b(?:F|Fortran)[- ](?:order|contiguous)\b"
    r"|\b(?:comes?|arrives?|passed|given|handed over|called with|received|obtained) (?:in )?(?:as )?\w+\.(?:t\(\)|m?T\b"
    r"|transpose\(|permute\()"
    r"|(?<!-)\bstrided\b(?! (?:\S+ )?(?:conv|load|loop|access|cop|store|window|slid|pool|attention|batch))|\bmay (?:have|be"
    r"|come)[^,]*\bstrides?\b",
    re.IGNORECASE,
)
"""Says that an input may lie in memory with gaps, or in another order."""
MAGNITUDE_RANGE = re.compile(
    rf"\bmagnitudes?\s+(?:is\s+|are\s+|lie\s+)?(?:in|between|from)\s*[\[(]?\s*(?P<low>{NUMBER})\s*(?:,|and|to)\s*(?P<high>{NUMBER})"
)
ROWS_APART = re.compile(
    r"\bstrides? of (?:its |the |each )?rows?\b|\brow[- ]strides?\b|\bcolumns of a (?:wider|larger|bigger) (?:matrix|tensor|buffer)\b"
    r"|\b(?:last|innermost) (?:axis|dim(?:ension)?) (?:is |are |stays? )?(?:always )?(?:contiguous|dense)\b"
    r"|\bunit stride\b|\bstride (?:of )?1\b",
    re.IGNORECASE,
)
"""Says that rows may lie apart in memory, with their numbers side by side."""
REST = re.compile(r"\b(?:others?|rest|remaining|all else|everything else)\b[^.;]*\bcontiguous\b", re.IGNORECASE)
"""Says that only the inputs mentioned as such may have strides."""
ANY_WHOLE = re.compile(
    r"\bany (?:u?int(?:8|16|32|64)|(?:8|16|32|64)-bit integers?|(?:signed )?integers?)\b"
    r"|\bnegative (?:(?:ones?|values?|numbers?|integers?) )?(?:included|too|as well|allowed)\b|\b(?:whole|full) range of u?int"
    r"|\bany (?:values?|numbers?) (?:of (?:its|the|their) (?:d?type|range)\b|(?:whose|as long as)\b[^.;]*\bfits?\b)",
    re.IGNORECASE,
)
"""Says that integers may take any value of their type."""
VALUES = re.compile(
    rf"\b(?:any|all|arbitrary) (?:integers?|values?|numbers?) (?:in |from |between )?"
    rf"(?P<low>{NUMBER})\s*(?:\.\.\.?|to|and|through)\s*(?P<high>{NUMBER})(?![\w.]*\d)",
    re.IGNORECASE,
)
"""Says between which numbers integers may be."""
LEAST = r"(?:at least|no fewer than|not fewer than|no less than|a minimum of)"
OBSERVED = r"(?:observed|present|available|enabled|measured|usable|live|recorded|non-missing|attended|nonzero)"
"""What entries are called besides `UNMASKED`, where it is said how many there are."""
LEFT = rf"(?:finite|True|{OBSERVED}|not (?:masked|padded|padding|-inf|hidden)|{UNMASKED})"
NUMERAL = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|\d+)"
MANY_LEFT = re.compile(
    rf"{LEAST} (?P<count>{NAME}|\d+) (?:of \w+ )?(?:\w+ ){{0,2}}?{LEFT}\b"
    rf"|{LEAST} (?P<more>{NAME}|\d+) (?:\w+ ){{1,4}}?(?:is|are|stays?|remains?) {LEFT}\b"
    rf"|\b(?P<some>{NAME}|\d+) or more (?:\w+ ){{0,2}}?{LEFT}\b|\b(?P<few>{NAME}|\d+) {LEFT} {POSITIONS} (?:\w+ ){{0,3}}?at least\b"
    rf"|\b(?:mask\w*|keeps?|leaves?|attends?(?: to)?|allows?|unmasks?)\b[^.;]{{0,30}}?{LEAST} (?P<kept>{NAME}|\d+) {POSITIONS}\b"
    rf"|\b(?P<or_more>{NUMERAL}) {LEFT}(?: {POSITIONS})? or more\b"
    rf"|\bof (?:those|these|them|which)\b[^.;]{{0,20}}?\b{LEAST} (?P<of_those>{NUMERAL}) (?:per|in|for|within) (?:each |every |a "
    rf"|any )?(?:row|query|sample)\b"
    rf"|\b(?:never|not) (?:fewer|less) than (?P<never_fewer>{NUMERAL}) (?:\w+ ){{0,2}}?{LEFT}\b",
    re.IGNORECASE,
)
"""Says how many numbers of each row are not -inf, or not masked."""
ITSELF = re.compile(
    r"\b(?:sees?|attends? to|look(?:s|ing)? at|keeps?) (?:at least |always )?(?:itself|themselves|its own key|its own position)\b"
    r"(?= in any case| always|$|[,;.]| at least| regardless| whatever| no matter)"
    r"|\b\w+\.any\([^()]*\)(?:\.all\(\))? (?:holds|is (?:always )?True)\b|\bassert \w+\.any\([^()]*\)\.all\(\)"
    rf"|\b(?:{POSITIONS} (?:0|zero)|(?:the|its) first {POSITIONS}) (?:of (?:\w+ ){{1,2}})?(?:is|stays"
    rf"|remains) (?:always )?(?:unmasked|True|kept|allowed|visible|valid)\b"
    r"|\b(?:the|its|whose) (?:main )?diagonal (?:of \w+ )?(?:is|stays|remains) (?:always |all )?(?:unmasked|True|set|kept|allowed"
    r"|visible|unblocked|open)\b",
    re.IGNORECASE,
)
"""Says that something of each row is not masked, because the diagonal isn't."""

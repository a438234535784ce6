"""Grammar: the words by which sentences deny, limit, leave open and refer back, whatever they are about; `clauses` puts them to use."""

from __future__ import annotations

import re

AUXILIARY = (
    r"(?:is|are|was|were|be|being|has|have|had|do|does|did|may|might|can|could|must|shall|should|will|would|cannot|needs?|[a-z]+n't)"
)
ACTION = (
    r"(?:holds?|contains?|comes?|gives?|yields?|returns?|becomes?|lies?|occurs?|appears?|arrives?|stays?|remains?|means?|marks?"
    r"|carry|carries|shows?|takes?|propagates?|stands?|denotes?|indicates?|sits?|falls?|encodes?|owns?|receives?|gets?|covers?"
    r"|keeps?|leaves?"
    r"|satisfy|satisfies|exceeds?|produces?|turns?|goes|wins?|happens?|works?|equals?|lacks?|includes?|counts?|serves?|lives?|reports)"
)
VERB = re.compile(rf"\b(?:{AUXILIARY}|{ACTION})\b", re.IGNORECASE)

HEADING = re.compile(r"(?:[\w.\[\]]+(?:, | ?/ ?| |-)){0,4}[\w.\[\]]+")
"""What a description begins with: a name, several, or a few words, "supported types: ..."."""
BRACKETS = re.compile(r"(?<![\w.])\s*\(([^()]*)\)")
GROUP = re.compile(r"[(\[](?:[^()\[\]]|[(\[][^()\[\]]*[)\]])*[)\]]|\{[^{}]*\}|\b\d+(?:, ?\d+){0,3}, ?\.\.\.,? ?[\w-]+")
WORD = rf"(?!(?:{AUXILIARY}|{ACTION})\b)[-+]{{0,2}}[\w.'/]+"
THING = rf"(?:\b(?:no|any) )?{WORD}(?: {WORD})?"
LISTED = re.compile(rf"{THING}(?:, {THING}){{1,6}}?,? (?:and|or|nor|&) {THING}|\d,\d{{3}}\b", re.IGNORECASE)
"""Things of one or two words each, "no NaNs, infs or denormals", and what stands before the first of them."""
QUALITIES = re.compile(
    r"\b(?:(?:non-?)?(?:finite|contiguous|strided|sorted|positive|negative|zero|empty)|dense|increasing|ascending|unique|distinct"
    r"|but|while|which|so|then|where|when|if)\b",
    re.IGNORECASE,
)
"""Words that don't stand in lists of things."""
SEPARATOR = re.compile(r"\s*[,;](?=\s|$)\s*|\s*:(?=\s|$)\s*|\s+(?:--|[–—])\s+")
CONJUNCTION = re.compile(
    r"\s+(?=(?:but|while|whereas|though|although|however|because|since|hence|therefore|so that|so"
    r"|yet)\b)(?<!\ball )(?<!\bany )(?<!\beven )",
    re.IGNORECASE,
)
RELATIVE = r"(?:which|that|who|whose|where|when|if|in|of|for|to|from|and|or|not|never|\d[\w.]*)"
GOES_ON = re.compile(
    rf"\s+(?=and (?:\w+ly |also |never |always |then )?(?:{AUXILIARY}|{ACTION})\b"
    rf"|and (?:(?!{RELATIVE}\b)[^\s,;:]+ ){{1,4}}(?:never |always |also )?(?:{AUXILIARY}|{ACTION})\b)",
    re.IGNORECASE,
)
"""An "and" before a verb, or before a new subject and its verb."""
PREPOSITIONAL = re.compile(
    r"(?:in|within|among|for|of|on|besides|apart from|in addition to|next to|as well as)(?: [^\s,]+){1,4}$",
    re.IGNORECASE,
)

ELLIPTIC = re.compile(
    rf"(?:(?:but|and|while|whereas|though|although) )?(?:only |all |both )?(?:the )?(?:[\w.]+ ){{1,3}}?{AUXILIARY}(?: not)?",
    re.IGNORECASE,
)
AFFIRMED = re.compile(
    r"\bnot only\b|\bno matter\b|\bnot an error\b|\bnot (?:un|im|in)(?:common|usual|possible|frequent)\w*|\bnothing prevents\b"
    r"|\bno (?:more|fewer|less) than\b|\b(?:not|never) (?:a problem|excluded|ruled out|forbidden|limited to|rare)\b|\bno exception\b"
    r"|\bnot (?:only )?(?:just|merely)\b",
    re.IGNORECASE,
)
"""Words of denial that deny nothing."""
STRONG = re.compile(
    r"\b(?P<noun>no|none|nobody|nothing|neither|nor)\b|\b(?:not|never|cannot)\b|n't\b"
    r"|\b(?:is|be|as) (?:an error|a bug|illegal|invalid|forbidden|prohibited) (?:for|to)\b",
    re.IGNORECASE,
)
"""Denies all that follows."""
WEAK = re.compile(
    r"\b(?:without|free (?:of|from)|excluding|lack(?:s|ing)?|rather than|instead of|avoid(?:s|ing|ed)?|devoid of|other than|apart from"
    r"|absence of|prevent(?:s|ing)?|against|(?:any|arbitrary|everything)(?: \w+){0,3} (?:except|but))\b",
    re.IGNORECASE,
)
"""Denies what follows up to the next verb: "rows without keys give NaN"."""
EMBEDDED = re.compile(r"\b(?:with|that|which|who|whose|where|when|whenever|if|of|for|having|has|have)\s*(?:\S+\s+){0,4}$", re.IGNORECASE)
"""What stands before a denial within a part of a clause: "rows that have no keys give NaN"."""
COMPLEMENT = re.compile(
    r"\b(?:assum\w*|guarantee\w*|ensur\w+|promis\w+|know\w*|note|mean\w*|sure|such|so|requir\w+|given|provided|fact|rel(?:y"
    r"|ies) on)\s+(?:that\s+)?",
    re.I,
)
"""What stands before a clause that goes on as if it stood alone: "assume that no input is NaN"."""
RELATIVE_LAST = re.compile(r"\b(?:which|that|whose|where|when|if)\s*$", re.IGNORECASE)
ENDS_DENIAL = re.compile(r"\b(?:if|when|whenever|where|wherever|unless|because|until|than|but|except|before|after|once)\b", re.IGNORECASE)
EXISTS = (
    r"(?:occurs?|appears?|comes?|exists?|present|possible|allowed(?! to)|permitted|expected(?! to)|passed|fed|supported|tested|need(?:ed)?"
    r"|required?|requested|asked|guaranteed|assumed?|promised|used|encountered|produced|generated|drawn|given|found|contained|included"
    r"|valid|legal|admissible|provided|supplied|taken|computed|carried|prescribed|arises?|happens?|shows? up|turns? up|there"
    r"|reach(?:es)?|get (?:in|through|here|past))\b"
)
DENIED_AFTER = re.compile(
    rf"^.*?(?:\b(?:not|never|cannot|no longer)\b|n't\b)(?:\s+[\w-]+){{0,3}}?\s+{EXISTS}"
    r"|^\s*(?:never|none)\s*$|\b(?:has|have) been (?:removed|filtered|cleaned|dropped)\b"
    r"|\b(?:is|are|be)\s+(?:[\w-]+\s+)?(?:excluded(?! from)|impossible|ruled out|absent|forbidden|disallowed|prohibited|unsupported|illegal"
    r"|out of (?:scope|the question)|off[- ]limits|taboo|rejected|refused|turned (?:away|down)|weeded out)\b",
    re.IGNORECASE,
)
STOPS = re.compile(r"\b(?:if|when|whenever|where|wherever|unless|for|because|so|but|which)\b", re.IGNORECASE)
"""Where what is said of a topic ends."""
LEFT_OPEN = re.compile(
    r"\b(?:unspecified|undefined|undetermined|unconstrained|implementation[- ](?:defined|specific|dependent)|out of scope"
    r"|ignore the case|left open"
    r"|don't care"
    r"|(?:not|never|isn't|aren't|won't be) (?:be )?(?:specified|defined|tested|compared|checked|covered|considered|exercised|verified"
    r"|examined|prescribed)"
    r"|(?:does(?:n't| not)|do(?:n't| not)) matter|whether or not|up to (?:you|the (?:implementation|kernel|author|solution))"
    r"|(?:need not|needn't|(?:does|do)(?:n't| not) (?:need|have) to) be (?:handled|supported|considered|treated))\b",
    re.IGNORECASE,
)
REFERS_BACK = re.compile(
    r"(?:and |so |but |in which case )?(?:(?:this|that|it|its|their|they|then|what|which|any|the (?:order|result|outcome|behaviou?r"
    r"|choice))\b"
    rf"|{AUXILIARY}\b)",
    re.IGNORECASE,
)
"""How a clause begins that goes on about what was said before it."""
OPENS_CASE = re.compile(
    r"(?:and |but |so |\(|even )*(?:if|when|whenever|where|wherever|for|of|among|in case|in the case|between|with)\b", re.IGNORECASE
)

CONDITION = re.compile(
    r"(?:\b(?:if|when|unless|while|until|whose|otherwise|else|sees|only|iff)\b|(?<![,\])]\s)\bwhere\b)[^,;:]*$"
    r"|(?<![,\])]\s)(?<!matrix\s)(?<!tensor\s)(?<!vector\s)\bwith\b[^,;:]*$",
    re.IGNORECASE,
)
"""What stands before something that holds in some cases only; after a comma, "where" defines a name: "x: [N, D], where D is even"."""
CASE = re.compile(r"\b(?:if|when|whenever|where|wherever|unless|while|until|iff|once|whether)\b", re.IGNORECASE)
HEDGED = re.compile(
    r"\b(?:usual(?:ly)?|typical(?:ly)?|often|most(?:ly| of| cases)|normal(?:ly)?|by default"
    r"|in practice|for (?:example|instance)|e\.g|such as|common(?:ly)?|sometimes|generally|currently|likely|roughly|(?:these|the) tests"
    r"|benchmarks?)\b",
    re.IGNORECASE,
)
"""Says something of most inputs, and promises nothing."""
RESULT = re.compile(
    r"\b(?:gives?|giving|returns?|returned|returning|yields?|yielding|becom(?:es?|ing)|produc(?:es?|ing)|results?|outputs?|turns? into"
    r"|comes? out|evaluates?|overflows?|underflows?|propagates? to|emits?|stores?)\b|=\s*[+-]*(?:inf|nan)\b"
    r"|\b(?:(?:max|min)(?:imum)?|sum|mean|log-?sum-?exp) of\b",
    re.IGNORECASE,
)
INSIDE = re.compile(
    r"\baccumulators?\b|\brunning (?:max|min|sum|mean|total|product)\w*|\binitiali[sz]\w+|\bstart(?:s|ed|ing)? (?:at|from|with|out)\b"
    r"|\boverwriting\b|\b(?:earlier|previous|former|old|older|first|naive) (?:version|revision|implementation|draft|attempt)\b"
    r"|\bmasked_fill\b|\b(?:tl|torch|jnp|np)\.where\b"
    r"|\b(?:first|then|next|afterwards|subsequently) (?:set|replaced|overwritten|filled|masked)\b"
    r"|\b(?:set|replaced|overwritten|filled|masked) (?:\S+ ){0,4}?(?:before|prior to|ahead of) (?:the |applying "
    r"|taking )?(?:softmax|exp\w*|sum\w*|max\w*|reduc\w*)"
    r"|\b(?:inside|within|in) (?:the|a|your) kernel\b|\bintermediates?\b|\bidentity\b",
    re.IGNORECASE,
)
"""Said of numbers that a kernel makes."""
MADE = re.compile(
    r"\b(?:set|replaced|overwritten|filled|masked|clamped|mapped) (?:to|with|by|out with)\b|\bsets? (?:[\w-]+ ){0,4}to\b", re.IGNORECASE
)
"""Said of numbers that a kernel makes, unless an input is named: "masked scores are set to -inf"."""
IN_RESULTS = re.compile(r"^[^,;:]*?\b(?:in|of|to|into|as) (?:the |its |their )?(?:outputs?|results?)\b", re.IGNORECASE)
OF_INPUTS_AGAIN = re.compile(
    r"\b(?:if|when|whenever|where|wherever|unless|for)\b|\bd?types? of\b"
    r"|\b(?:rows?|entr(?:y|ies)|elements?|values?|inputs?|keys?|pixels?|columns?|numbers?|tokens?|samples?) (?:with|that|which|whose|of)\b",
    re.IGNORECASE,
)
"""After this, a clause about results speaks of inputs: "returns zeros if some entry is NaN"."""

SEVERAL = re.compile(r"\b(?:both|all|they|them|these|neither)\b", re.IGNORECASE)
"""Stands for all inputs that a sentence named before."""
LINKS = frozenset("and but also so never always even".split())
PRONOUNS = frozenset("it they these those both each neither either this".split())
"""How the subject of a sentence begins that refers to the sentence before."""
PARTS = frozenset(
    "value values entry entries element elements numbers item items component components all each every it they them these those both"
    " everything which that this one ones none id ids some neither either".split()
)
"""Words for the numbers of an input, or for the input again."""
INPUTS = PARTS | frozenset(
    "input inputs tensor tensors argument arguments operand operands data parameter parameters array arrays buffer buffers matrix matrices"
    " vector vectors activation activations logit logits score scores weight weights feature features coordinate coordinates point points"
    " sample samples image images pixel pixels token tokens query queries key keys row rows column columns rest others other batch memory"
    " storage layout order format index indices filter real reals float floats list lists sequence sequences mask masks".split()
)
"""Words for inputs in general."""
PIECES = frozenset("ranges blocks chunks segments slices runs loads stores accesses groups differences parts pieces spans windows".split())
"""Words for parts of inputs, which may be contiguous where the inputs aren't."""
FILLERS = frozenset(
    "float32 float16 bfloat16 float64 fp32 fp16 bf16 fp64 f32 int32 int64 real ordinary row-major c-order packed dense input floating-point"
    " floating-point and positive negative non-negative 1-d 2-d 3-d 1d 2d 3d single-precision numeric row major bool boolean integer long"
    " cuda gpu cpu nchw nhwc ncdhw ordinary".split()
)
NO_NOUN = re.compile(
    r"\W*(?:$|[,;:.)(/=<>]|(?:in|on|at|of|and|or|but|everywhere|throughout|too|also|as|here|there|always|only|along|over|unless|except"
    r"|if|when"
    rf"|where|by|within|without|from|for|per|so|with|to|across|last|then|first|again|both|{AUXILIARY}|{ACTION})\b)",
    re.IGNORECASE,
)
"""What may follow an adjective that has no noun after it."""
PREDICATIVE = re.compile(r"\b(?:is|are|be|been|being|stays?|remains?) (?:\w+ly |always |all |both |also )?$", re.IGNORECASE)
"""What stands before an adjective that is said of the subject: "x is sorted beforehand"."""
ONE_NUMBER = re.compile(
    r"\b(?:is|are|be|been|being|stays?|remains?) an? (?:ordinary |plain |regular |proper |real |usual )?$", re.IGNORECASE
)
"""What stands before an adjective of "a number" or "a value" that is said of the subject: "each entry is a finite number"."""
ADDS_NOTHING = re.compile(r"\b(?:themselves|itself|alone|hence|therefore|thus|so|and|but|also|then)\b", re.IGNORECASE)
"""Words of a subject that name nothing: "the inputs themselves", "hence"."""
HEAD_ENDS = re.compile(r"\b(?:of|in|for|from|with|on|per|within|to|inside|at|by)\b", re.IGNORECASE)
SUBJECT_BEGINS = re.compile(r"\b(?:that|which|whether|if|assum\w+|when|where|while|and|but|(?:rely|relies|count) on)\b", re.IGNORECASE)
LIKE_A_NAME = (
    r"(?=\s*(?:$|[:=,;.)\]\[+*/@<>&-]|(?:is|are|be|and|or|has|may|can|must|nor|holds?|contains?|comes?|by|as|need|needs|have|does|do|will|"
    r"should|never|always)\b))"
)
"""What follows a name of one letter that is an article as well."""

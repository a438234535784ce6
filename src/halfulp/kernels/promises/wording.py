"""Wording: how the texts of problems mention ties, strides, NaN, gradients and so on, and whether a clause says so or denies it."""

from __future__ import annotations

import math
import re

import torch

from .statements import NAME, NOT_FINITE, NUMBER, OF_RESULTS

SHAPE = re.compile(
    rf"(?P<names>(?:{NAME}\s*,\s*)*{NAME})\s*(?::|\bis\b|\bof shape\b)?\s*"
    rf"(?P<between>(?:{NAME}\s*,?\s+){{0,3}})[(\[](?P<axes>[^()\[\]]*)[)\]]"
)
KIND = re.compile(
    r"\((?:(?:torch\.)?(?:\w*Tensor|array|u?int\d*|(?:b?float|bf|fp)\d*|bool|long|complex\d*)|optional|or|[,|\s])+\)|\([^()]*\)(?=\s*:\s*[(\[])",
    re.IGNORECASE,
)
"""A type in brackets, "bias (Tensor): [N]", and no shape; nor is what stands in brackets before the shape."""
INDEXED = re.compile(r"\w\[\Z")
"""What comes before the axes: "x[..., i]" is a part of x, and "x: [..., D]" is all of it."""
ANY_SHAPE = re.compile(r"\b(?:any|arbitrary) (?:shape|rank|number of (?:axes|dim(?:ension)?s))\b", re.IGNORECASE)
NOT_HELD = re.compile(
    r"\b(?:anything|any bits|garbage|ignored|irrelevant|unused|uninitiali[sz]ed|beyond|outside|padding|padded"
    r"|(?:never|not) (?:read|used|looked at|touched)|no (?:effect|influence|meaning))\b",
    re.IGNORECASE,
)
"""Marks a sentence that is about numbers on which no result depends."""
NOT_BEFORE = re.compile(
    r"(?:\b(?:no|not|never|without|nor|none|neither|cannot)\b|n't\b)(?:\W+\w+){0,3}\W*$|\b(?:no need|need not|needn't|n't need)\b[^.;]*$",
    re.IGNORECASE,
)
NOT_AFTER = re.compile(r"^(?:\W+\w+){0,3}?\W+(?:no|not|never|cannot|\w+n't)\b", re.IGNORECASE)
"""A denial of something, a few words before it or after it."""
SPECIALS = {
    math.nan: re.compile(r"\bNaNs?\b"),
    math.inf: re.compile(r"\binfinit|[^-]\binf\b|\+-inf"),
    -math.inf: re.compile(r"-inf\b|\binfinit"),
}
"""How a text mentions NaN and infinities."""
EXCLUDED = re.compile(r"\b(?:unsupported|not supported|out of scope|excluded|not allowed|forbidden)\b", re.IGNORECASE)
"""Says that something does not come."""
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
SIGNED = re.compile(r"(?<!non-)(?<!non)\bnegative\b|\b(?:any|either|both) signs?\b|\[ *-", re.IGNORECASE)
"""Says that numbers may be negative, although no drawn one is."""
ZEROS = re.compile(
    r"\bzeros? (?:is|are) (?:common|allowed|possible|frequent|usual)\b|\bmay (?:be|hold|contain|have) (?:\w+ )?(?:0|zeros?)(?![.\d])"
    r"|\b(?:some|many) (?:\w+ )?(?:are|may be|hold) (?:exactly )?(?:0|zeros?)(?![.\d])",
    re.IGNORECASE,
)
"""Says that zeros are among the numbers, although none is drawn."""
ASCENDING = re.compile(r"\b(?:increasing|ascending|non-?decreasing|monotone|monotonic(?:ally)?)\b|\bsorted\b", re.IGNORECASE)
DESCENDING = re.compile(r"(?<!non-)\b(?:decreasing|descending)\b", re.IGNORECASE)
STRICTLY = re.compile(r"\bstrictly\b|\bdistinct\b|\bunique\b", re.IGNORECASE)
"""Says that no two sorted numbers are equal."""
COMPARED = re.compile(rf"(?P<one>{NAME})(?:\[[^\]]*\])?\s*(?:[<>]=?|==)\s*(?P<other>{NAME})")
"""Two names, or elements of them, and a sign of comparison between them."""
TIES = re.compile(
    r"\b(?:ties?|tied)\b|\bequal (?:\w+ )?(?:values?|scores?|keys?|probabilit\w+|numbers?|elements?|logits?|distances?|largest|ones?)\b"
    r"|\b(?:lowest|lower|smallest|first) (?:index|number|position|occurrence|max(?:imum|imal)?(?! (?:over|of)\b)|one counts)\b"
    r"|\bthe first \w+ (?:on|at|in|for) which\b|\b(?:lowest|first)(?: \w+)? (?:index|position)\b"
    r"|\(strictly\)|\bstrictly (?:less|greater|larger|smaller|more|fewer|above|below)\b|\banswer is unique\b",
    re.IGNORECASE,
)
FREE = re.compile(
    r"\b(?:unspecified|undefined|arbitrar\w+|implementation[- ]defined|irrelevant|no (?:\w+ )?ties?"
    r"|without ties?|in any order|either way|any way|any of (?:them|these)"
    r"|ties? (?:never|do(?:es)?n't|do(?:es)? not|are not)|not (?:specified|defined|guaranteed|tested|checked)|does(?:n't| not) matter)\b",
    re.IGNORECASE,
)
"""A sentence that leaves open what happens to equal numbers."""
TO_EVEN = re.compile(r"ties? to even|half to even", re.IGNORECASE)
ROUNDS = re.compile(
    r"\b(?:ties? to even|half to even|round(?:s|ed|ing)? half|half away|round(?:s|ed)? to (?:the )?nearest|ties away)", re.IGNORECASE
)
NOTHING = re.compile(
    r"\b(?:fully|entirely|completely|all|wholly)[- ]masked\b|\bnothing\b|\bwithout any (?!padding|mask)"
    r"|\bno (?:valid|allowed|unmasked|visible|keys?|true)\b|\bno \w+ (?:is|are) (?:valid|allowed|unmasked|visible|true|left)\b"
    r"|\bonly masked\b|\bno such\b",
    re.IGNORECASE,
)
FLOAT32 = re.compile(
    r"\brounded once\b|\bone (?:final )?rounding\b|\ball arithmetic (?:is )?(?:in )?(?:float32|fp32)\b"
    r"|\bsums?\b(?:(?!\b(?:not|never|no)\b)[^.;]){0,40}\bin (?:float32|fp32)\b"
    r"|\b(?:added|summed|accumulated|multiplied|computed|sums?|products?|intermediates?)\b[^.;]{0,40}\b(?:not|never) rounded\b"
    r"|\bnot rounded before\b|\b(?:no|without) (?:any )?intermediate rounding\b",
    re.IGNORECASE,
)
"""Not "computed in float32": that is said of kernels that round the factors of a product to 16 bits, as GPUs multiply them."""
EMPTY = re.compile(
    r"\bempty\b|\blengths? (?:is |are |of |may be |can be )?(?:from )?(?:0|zero)\b|\bzero[- ]lengths?\b"
    r"|\b(?:with|has|have|having) no \w+s\b|\bwithout any \w+s\b|\b(?:0|zero) or more\b"
    r"|\b(?:may|can|might) (?:have|hold|contain) (?:none|nothing)\b",
    re.IGNORECASE,
)
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
INFERENCE = re.compile(
    r"\b(?:inference|forward) only\b"
    r"|\b(?:no|without) gradients?\b(?: (?:are|is) (?:needed|required|asked|taken|used|computed))?(?= *(?:[.,;:)]|$))",
    re.IGNORECASE,
)
GRADIENTS = re.compile(
    r"\bdifferentiable\b|\bstraight-through gradient"
    r"|\bgradients? (?:[\w()]+ ){0,5}?(?:flows?|reach\w*|(?:are|is) (?:taken|needed|used|computed|asked|trained|required))\b",
    re.IGNORECASE,
)
IN_PLACE = re.compile(
    r"\b(?:updat\w+|modif\w+|writ\w+|overwrit\w+|chang\w+|mutat\w+|stor\w+|scal\w+|sort\w+|computed?|happens?|works?|done|runs?)\b"
    r"[^.;]{0,40}\bin[- ]?place\b",
    re.IGNORECASE,
)
LEFT_OPEN = re.compile(r"\b(?:may|might|can|could|allowed|either|or|need not|not|never|without)\b|n't\b", re.IGNORECASE)
"""A sentence that allows or denies something, and does not demand it."""
LEFT_OUT = re.compile(
    r"\bor None\b|\bNone (?:for|means|disables|stands)\b|\bif None\b|\bdefaults to None\b|\b[Oo]ptional(?:ly)?\b"
    r"|\b(?:may|can) be (?:None|omitted|left out)\b"
)
"""Says that an argument need not be given."""
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
CONTIGUOUS = re.compile(r"(?<!non-)(?<!make it )(?<!made )(?<![._])\bcontiguous\b(?!\()", re.IGNORECASE)
STRIDES = re.compile(
    r"\b(?:non|not|need|may|any|whether|either)\b[^,]*\b(?:contiguous|strides?)\b|\bnoncontiguous\b|\bstrided\b|\bcontiguous or\b"
    r"|\bor (?:\w+ )?(?:views?|slices?)\b|\btransposed views?\b|\bviews? of an?\b",
    re.IGNORECASE,
)
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
SOME_LEFT = re.compile(
    r"\b(?:no|never an?) (?:row|\w+ )?(?:is |are )?(?:entirely|fully|completely|all) (?:-inf|masked)\b",
    re.IGNORECASE,
)
"""Says that no row is -inf, or masked, as a whole."""
MANY_LEFT = re.compile(
    rf"\bat least (?P<count>{NAME}|\d+) (?:of \w+ )?(?:\w+ ){{0,2}}?(?:finite|valid|unmasked|allowed)\b"
    rf"|\bat least (?P<more>{NAME}|\d+) (?:\w+ ){{1,4}}?(?:is|are|stays?|remains?) (?:finite|valid|unmasked|allowed|kept|left)\b",
    re.IGNORECASE,
)
"""Says how many numbers of each row are not -inf, or not masked."""
DENIED = re.compile(r"\b(?:no|not|never|non|cannot|none)\b|n't\b", re.IGNORECASE)
"""A clause that denies something."""
KINDS = {
    "float64": torch.float64, "double": torch.float64, "fp64": torch.float64, "float32": torch.float32, "fp32": torch.float32,
    "float16": torch.float16, "half": torch.float16, "fp16": torch.float16, "bfloat16": torch.bfloat16, "bf16": torch.bfloat16,
}  # fmt: skip
ONE_KIND = rf"\b(?:{'|'.join(KINDS)})\b"
SEVERAL_KINDS = re.compile(rf"{ONE_KIND}(?:\s*[,/]\s*{ONE_KIND})*\s*(?:\bor\b|/|,)\s*{ONE_KIND}")


BRACKETS = re.compile(r"\([^()]*\)")
AFTER_BRACKETS = re.compile(r"\)\s*(?:[,;:]|(?:and|or|but|which|while|so)\b)")


def is_said(words: re.Pattern[str], clause: str) -> bool:
    """Whether a clause says so, without denying it."""
    match = words.search(clause)
    if match is None:
        return False
    # What brackets deny is what they hold, and what goes on after those that hold the words is said of something else.
    before, after = clause[: match.start()], AFTER_BRACKETS.split(BRACKETS.sub("", clause[match.end() :]))[0]
    return not NOT_BEFORE.search(before) and not NOT_AFTER.search(after)


def clauses_of(text: str, separators: str = "[,:]") -> list[str]:
    """The parts of a text between separators; the end of a list, "no infinities, NaNs or denormals", stays with what denies it."""
    found: list[str] = []
    for clause in re.split(separators, text):
        if found and DENIED.search(found[-1]) and LIST_END.match(clause):
            found[-1] += f",{clause}"
        else:
            found.append(clause)
    return found


LIST_END = re.compile(r"\s*(?:[\w-]+ )?(?:or|nor) [\w-]+\s*$")


def is_of_results(words: re.Pattern[str], clause: str) -> bool:
    """Whether a clause says it of results, not of inputs."""
    match = words.search(clause)
    return match is not None and OF_RESULTS.search(clause[: match.end()]) is not None


def says_what_becomes_of_not_finite(sentence: str) -> bool:
    """Whether a sentence says what becomes of inputs that are not finite: "zeros if any gradient is not finite"."""
    if FREE.search(sentence) or EXCLUDED.search(sentence):
        return False
    for clause in re.split("[,:;]", sentence):
        match = NOT_FINITE.search(clause)
        if match is not None and is_said(NOT_FINITE, clause):
            condition = re.split(r"\b(?:if|when|where|with|whose|of)\b", clause[: match.end()], flags=re.IGNORECASE)[-1]
            if not OF_RESULTS.search(condition):
                return True
    return False

# SPDX-License-Identifier: BSD-2-Clause
"""Makes the mutants of a C file, which tools/mutate.py judges.  It needs no parser: tokens and brackets do."""
import re
from collections import Counter

TOKEN = re.compile(
    r"""(?P<space>\s+|/\*.*?\*/|//[^\n]*)|(?P<directive>^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)|(?P<string>"(?:\\.|[^"\\])*")"""
    r"""|(?P<char>'(?:\\.|[^'\\])*')|(?P<name>[A-Za-z_]\w*)|(?P<number>0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*)"""
    r"""|(?P<mark><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||\.\.\.|[-+*/%&|^]=|.)""", re.S | re.M)
OPENING, CLOSING = set("([{"), set(")]}")
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
SWAPS = {"&&": "||", "||": "&&", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
NO_VALUE = {"return", "case", "sizeof", "else", "do"}  # names after which & and * are unary
TYPES = {"const", "static", "struct", "enum", "unsigned", "int", "bool", "char", "void", "size_t", "uint8_t",
         "uint16_t", "uint32_t", "uint64_t", "int64_t", "_Static_assert"}
LEAVING = {"return", "break", "continue", "goto", "case", "default", "if", "else", "for", "while", "switch", "do"}


class Token:
    def __init__(self, kind, text, start):
        self.kind, self.text, self.start, self.end = kind, text, start, start + len(text)
        self.mate = None      # of a bracket, the index of the other
        self.level = 0        # brackets around it
        self.function = ""    # the function or table around it, or ""


def tokens_of(source):
    """Returns the tokens of the code, without comments and directives, with brackets paired."""
    tokens, stack = [], []
    for match in TOKEN.finditer(source):
        kind = match.lastgroup
        if kind in ("space", "directive"):
            continue
        token = Token(kind, match.group(), match.start())
        if token.text in CLOSING:
            opening = stack.pop()
            token.mate, tokens[opening].mate = opening, len(tokens)
        token.level = len(stack)
        if token.text in OPENING:
            stack.append(len(tokens))
        tokens.append(token)
    name = ""
    for i, token in enumerate(tokens):
        if token.text == "{" and token.level == 0 and (i < 2 or tokens[i - 2].text != "struct"):
            name = name_before(tokens, i)
            for inner in tokens[i:token.mate]:
                inner.function = name
    return tokens


def name_before(tokens, i):
    """Returns the name of the function, table or type whose body begins at i."""
    j, name = i - 1, "(unnamed)"
    while j >= 0 and tokens[j].text not in (";", "}"):
        if tokens[j].mate is not None and tokens[j].text in CLOSING:
            j = tokens[j].mate
        elif tokens[j].kind == "name" and tokens[j].text not in TYPES:
            name = tokens[j].text
            if tokens[j + 1].text in ("(", "[", "{"):
                return name
        j -= 1
    return name


class Mutant:
    def __init__(self, file, source, function, start, end, new, what):
        self.file, self.function, self.what = file, function, what
        first = source.rfind("\n", 0, start) + 1
        self.line = source.count("\n", 0, start) + 1
        self.text = source[first:source.find("\n", start)].strip()
        self.source = source[:start] + new + source[end:]

    def key(self):
        return self.file, self.function, self.text, self.what


def limits(tokens, i, stop):
    """Returns the indexes of the first token of the left operand of the binary operator at i, and of the last token of
    the right one.  @stop are the tokens that end an operand."""
    left = i - 1
    while tokens[left].text not in stop and tokens[left].text not in OPENING and tokens[left].text not in NO_VALUE:
        left = (tokens[left].mate if tokens[left].text in CLOSING else left) - 1
    right = i + 1
    while tokens[right].text not in stop and tokens[right].text not in CLOSING:
        right = (tokens[right].mate if tokens[right].text in OPENING else right) + 1
    return left + 1, right - 1


STOP_OR = {"|", "||", "&&", "?", ":", ",", ";"} | ASSIGNMENTS
STOP_AND = STOP_OR | {"&", "^"}
STOP_CONDITION = {"?", ":", ",", ";"} | ASSIGNMENTS


def squeeze(text):
    text = re.sub(r"\s+", " ", text)
    return text if len(text) <= 60 else text[:50] + " ..."


def semicolons(tokens, i):
    """Returns the places of the semicolons in the head of the for at i."""
    return [k for k in range(i + 2, tokens[i + 1].mate)
            if tokens[k].text == ";" and tokens[k].level == tokens[i].level + 1]


def moved_numbers(text):
    """Returns a number's neighbours, as they are written: 7 and 5 for 6, 0x8u and 0x6u for 0x7u."""
    digits = text.rstrip("uUlL")
    value, suffix = int(digits, 0), text[len(digits):]
    return [(f"0x{moved:X}" if digits[:2] in ("0x", "0X") else str(moved)) + suffix
            for moved in (value + 1, value - 1) if moved >= 0]


def mutants_of(file, source):
    """Returns every mutant of a file, in the order of its text."""
    tokens = tokens_of(source)
    found = []

    def add(token, start, end, new, what):
        found.append(Mutant(file, source, token.function, start, end, new, what))

    def negate(first, last, what="negate"):
        start, end = tokens[first].start, tokens[last].end
        add(tokens[first], start, end, f"!({source[start:end]})", f"{what} `{squeeze(source[start:end])}`")

    returns_bool = set(re.findall(r"^(?:static )?(?:inline )?bool (\w+)\(", source, re.M))
    for i, token in enumerate(tokens):
        text, before = token.text, tokens[i - 1].text if i else ""
        after = tokens[i + 1].text if i + 1 < len(tokens) else ""
        if not token.function:
            continue
        if text in ("if", "while") and after == "(":
            negate(i + 2, tokens[i + 1].mate - 1)
        elif text == "for" and after == "(":
            parts = semicolons(tokens, i)
            if len(parts) == 2 and parts[1] > parts[0] + 1:
                negate(parts[0] + 1, parts[1] - 1)
        elif text == "?":
            negate(limits(tokens, i, STOP_CONDITION)[0], i - 1)
        elif text == "return" and token.function in returns_bool and after not in ("true", "false"):
            last = i + 1
            while tokens[last].text != ";":
                last += 1
            negate(i + 1, last - 1)
        elif text == "=" and tokens[i - 2].text == "bool" and after not in ("true", "false"):
            negate(i + 1, limits(tokens, i, {";", ","})[1])
        if text in SWAPS:
            add(token, token.start, token.end, SWAPS[text], f"`{text}` to `{SWAPS[text]}`")
        elif text == "!":
            add(token, token.start, token.end, "", "drop `!`")
        elif text in ("|", "&"):
            binary = (tokens[i - 1].kind in ("name", "number") and before not in NO_VALUE) or before in (")", "]")
            if binary:
                left, right = limits(tokens, i, STOP_OR if text == "|" else STOP_AND)
                dropped = squeeze(source[token.start:tokens[right].end])
                add(token, token.start, tokens[right].end, "", f"drop `{dropped}`")
                if tokens[left - 1].text != text:
                    dropped = squeeze(source[tokens[left].start:token.end])
                    add(tokens[left], tokens[left].start, token.end, "", f"drop `{dropped}`")
        elif text in ("true", "false"):
            other = "false" if text == "true" else "true"
            add(token, token.start, token.end, other, f"`{text}` to `{other}`")
        elif token.kind == "number":
            for new in moved_numbers(text):
                add(token, token.start, token.end, new, f"`{text}` to `{new}`")
        if before in (";", "{", "}", ")", "else", ":") and not (before == ")" and not heads_statement(tokens, i - 1)):
            last = statement(tokens, i)
            if last is not None:
                dropped = squeeze(source[token.start:tokens[last].end])
                add(token, token.start, tokens[last].end, ";", f"drop `{dropped}`")
    return distinct(found)


def heads_statement(tokens, i):
    """Returns whether the bracket at i ends the head of an if, a for or a while."""
    return tokens[i].text == ")" and tokens[tokens[i].mate - 1].text in ("if", "for", "while")


def statement(tokens, i):
    """Returns the index of the ; of a statement at i that assigns or calls, or None."""
    if tokens[i].text in TYPES | LEAVING or not (tokens[i].kind == "name" or tokens[i].text in ("*", "++", "--")):
        return None
    if i + 1 < len(tokens) and tokens[i].kind == "name" and (tokens[i + 1].kind == "name" or tokens[i + 1].text == ":"):
        return None
    acts = tokens[i + 1].text == "("
    k = i
    while tokens[k].text != ";":
        if tokens[k].text in OPENING:
            k = tokens[k].mate
        elif tokens[k].text in CLOSING or tokens[k].text == ",":
            return None  # of an initializer or an enumeration
        acts |= tokens[k].text in ASSIGNMENTS or tokens[k].text in ("++", "--")
        k += 1
        if k == len(tokens):
            return None
    return k if acts else None


def distinct(found):
    """Numbers the mutants that have the same key, so that each has its own."""
    seen = Counter()
    for mutant in found:
        seen[mutant.key()] += 1
        if seen[mutant.key()] > 1:
            mutant.what += f" #{seen[mutant.key()]}"
    return found

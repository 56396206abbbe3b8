/** Checks the nesting of YAML of unknown origin before it is parsed: the parser's time and stack grow with the depth. */
import { Lexer, Parser } from 'yaml'

/** Levels of maps and lists. Definitions have about six. */
export const DEEPEST_YAML = 32

/** The message for a text that is nested too deep. */
export const TOO_DEEP = `It is nested more than ${DEEPEST_YAML} levels deep`

/** Whether a text has more levels than `DEEPEST_YAML`. Reads no further than to the first level too many. */
export function isNestedTooDeep(text: string): boolean {
  // Each level begins with one of these characters. Most texts have few.
  if ((text.match(/[[{]|[-?:](?!\S)/g)?.length ?? 0) < DEEPEST_YAML) return false
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme));
    // The document itself is one more.
    if (parser.stack.length > DEEPEST_YAML + 1) return true
  }
  return false
}

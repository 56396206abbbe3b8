/** Checks YAML of unknown origin before it is parsed: the parser's time and stack grow with the size and the nesting. */
import { Lexer, Parser } from 'yaml'

/** Characters. A frontmatter has at most half; recovery may lengthen it. */
const LONGEST_YAML = 128 * 1024
/** Keys, items and brackets. */
const MOST_YAML_NODES = 4000
/** Levels of maps and lists. Definitions have about six. */
export const DEEPEST_YAML = 32

/** Why a text is not parsed, as the beginning of a sentence; null: it can be parsed. Only `tooDeep` may be recovered. */
export function beyondYamlBounds(text: string): string | null {
  if (text.length > LONGEST_YAML) return 'It is longer than 128 KB'
  // Each key, item and level begins with one of these characters.
  const nodes = text.match(/[[{]|[-?:](?!\S)/g)?.length ?? 0
  if (nodes > MOST_YAML_NODES) return `It has more than ${MOST_YAML_NODES} keys and items`
  return nodes >= DEEPEST_YAML && isNestedTooDeep(text) ? tooDeep : null
}

export const tooDeep = `It is nested more than ${DEEPEST_YAML} levels deep`

/** Stops reading at the first level beyond the limit. */
function isNestedTooDeep(text: string): boolean {
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme));
    // The document itself counts as one level.
    if (parser.stack.length > DEEPEST_YAML + 1) return true
  }
  return false
}

/** Limits the nesting of quotes and lists: deep nesting exhausts the stack of the parser and the page. */

/** Maximum nested quotes and lists that one line may open. */
const MOST_MARKERS = 24
/** Maximum indentation, which nests lists, in pairs of spaces or tabs. */
const MOST_INDENTS = 24

const MARKER = String.raw`[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))`
const INDENT = String.raw`(?: {2}|\t)`
const TOO_DEEP = new RegExp(`^(?:(?:${MARKER}){${MOST_MARKERS + 1}}|${INDENT}{${MOST_INDENTS + 1}})`, 'm')
const MARKERS = new RegExp(`^((?:${MARKER}){${MOST_MARKERS}}[ \\t]*)(?=[-*+>\\d])`)
const INDENTS = new RegExp(`^(${INDENT}{${MOST_INDENTS}})[ \\t]+`)
const FENCE = /^[ \t]*(?:[-*+>][ \t]*|\d{1,9}[.)][ \t]*)*(`{3,}|~{3,})/

/**
 * Returns the text with the markers of deeper quotes and lists escaped and deeper indentation cut. Code in fences is
 * unchanged.
 */
export function boundNesting(text: string): string {
  if (!TOO_DEEP.test(text)) return text
  let fence: string | null = null
  return text
    .split('\n')
    .map((line) => {
      const mark = FENCE.exec(line)?.[1]
      if (mark !== undefined && (fence === null || mark.startsWith(fence)))
        fence = fence === null ? mark : null
      return fence === null ? boundLine(line) : line
    })
    .join('\n')
}

function boundLine(line: string): string {
  return line.replace(INDENTS, '$1').replace(MARKERS, (markers) => `${markers}\\`)
}

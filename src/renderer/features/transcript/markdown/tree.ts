/** The syntax tree of a message's HTML elements, between the steps of the markdown pipeline. */

interface TextNode {
  type: 'text'
  value: string
}
export interface ElementNode {
  type: 'element'
  tagName: string
  properties: Record<string, unknown>
  children: MarkdownNode[]
}
/** The supported parts of a syntax tree. `lockDown` drops all others. */
export type MarkdownNode =
  | TextNode
  | ElementNode
  | { type: 'root' | 'comment' | 'raw' | 'doctype'; children?: MarkdownNode[] }

export const text = (value: string): TextNode => ({ type: 'text', value })

export const element = (
  tagName: string,
  properties: Record<string, unknown>,
  children: MarkdownNode[],
): ElementNode => ({ type: 'element', tagName, properties, children })

/** The text in any depth, without recursion. */
export function allText(nodes: readonly MarkdownNode[]): string {
  const left = nodes.toReversed()
  let found = ''
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (node.type === 'text') found += node.value
    else for (const child of (node.children ?? []).toReversed()) left.push(child)
  }
  return found
}

// Limits the nesting of quotes and lists: deep nesting exhausts the stack of the parser and the page.

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

// Where long text without spaces may break: after the slashes of a path, and never inside a short argument.

/** A shorter path fits into a line. */
const SHORT_PATH = 16
/** A longer path may break anywhere, since each possible break is an element. */
const LONGEST_PATH = 300
/** A longer argument may break anywhere. */
const LONGEST_WHOLE = 32

/** The text with `wbr` elements after the slashes of long paths. Their parts stay whole, also at hyphens. */
export function breakable(value: string): MarkdownNode[] {
  if (value.length < SHORT_PATH || !SLASH.test(value)) return [text(value)]
  return joined(
    value.split(/(\s+)/).flatMap((token) => (isLongPath(token) ? pathNodes(token) : [text(token)])),
  )
}

/** The same for inline code, whose short arguments, such as `--no-verify`, stay on one line. */
export function breakableCode(value: string): MarkdownNode[] {
  if (!value.includes('-')) return breakable(value)
  return joined(
    value.split(/(\s+)/).flatMap((token) => (SLASH.test(token) ? breakable(token) : [whole(token)])),
  )
}

const SLASH = /[/\\]/

function isLongPath(token: string): boolean {
  return token.length >= SHORT_PATH && token.length <= LONGEST_PATH && SLASH.test(token)
}

function pathNodes(path: string): MarkdownNode[] {
  const parts = path.match(/[^/\\]*[/\\]+|[^/\\]+$/g) ?? [path]
  return parts.flatMap((part, index) => (index === 0 ? [whole(part)] : [element('wbr', {}, []), whole(part)]))
}

/** A word that does not break at its hyphens, unless it is long. */
function whole(word: string): MarkdownNode {
  return word.includes('-') && word.length <= LONGEST_WHOLE
    ? element('span', { dataWhole: true }, [text(word)])
    : text(word)
}

/** The nodes with adjacent texts joined. */
function joined(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  const found: MarkdownNode[] = []
  for (const node of nodes) {
    const last = found.at(-1)
    if (node.type === 'text' && last?.type === 'text') found[found.length - 1] = text(last.value + node.value)
    else if (node.type !== 'text' || node.value !== '') found.push(node)
  }
  return found
}

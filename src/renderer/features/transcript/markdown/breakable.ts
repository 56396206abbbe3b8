/** Where long text without spaces may break: after the slashes of a path, and never inside a short argument. */
import { element, type TreeNode, text } from './tree.ts'

/** A shorter path fits into a line. */
const SHORT_PATH = 16
/** A longer path may break anywhere, since each possible break is an element. */
const LONGEST_PATH = 300
/** A longer argument may break anywhere. */
const LONGEST_WHOLE = 32

/** The text with `wbr` elements after the slashes of long paths. Their parts stay whole, also at hyphens. */
export function breakable(value: string): TreeNode[] {
  if (value.length < SHORT_PATH || !SLASH.test(value)) return [text(value)]
  return joined(
    value.split(/(\s+)/).flatMap((token) => (isLongPath(token) ? pathNodes(token) : [text(token)])),
  )
}

/** The same for inline code, whose short arguments, such as `--no-verify`, stay on one line. */
export function breakableCode(value: string): TreeNode[] {
  if (!value.includes('-')) return breakable(value)
  return joined(
    value.split(/(\s+)/).flatMap((token) => (SLASH.test(token) ? breakable(token) : [whole(token)])),
  )
}

const SLASH = /[/\\]/

function isLongPath(token: string): boolean {
  return token.length >= SHORT_PATH && token.length <= LONGEST_PATH && SLASH.test(token)
}

function pathNodes(path: string): TreeNode[] {
  const parts = path.match(/[^/\\]*[/\\]+|[^/\\]+$/g) ?? [path]
  return parts.flatMap((part, index) => (index === 0 ? [whole(part)] : [element('wbr', {}, []), whole(part)]))
}

/** A word that does not break at its hyphens, unless it is long. */
function whole(word: string): TreeNode {
  return word.includes('-') && word.length <= LONGEST_WHOLE
    ? element('span', { dataWhole: true }, [text(word)])
    : text(word)
}

/** The nodes with adjacent texts joined. */
function joined(nodes: readonly TreeNode[]): TreeNode[] {
  const found: TreeNode[] = []
  for (const node of nodes) {
    const last = found.at(-1)
    if (node.type === 'text' && last?.type === 'text') found[found.length - 1] = text(last.value + node.value)
    else if (node.type !== 'text' || node.value !== '') found.push(node)
  }
  return found
}

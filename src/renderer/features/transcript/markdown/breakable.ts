/** Where long text without spaces may break: after the slashes of a path, and never inside a short argument. */
import { element, type TreeNode, text } from './tree.ts'

/** A shorter path fits into a line. */
const SHORT_PATH = 16
/** A longer path may break anywhere, since each possible break is an element. */
const LONGEST_PATH = 300
/** A longer argument may break anywhere. */
const LONGEST_WHOLE = 32

/** The text with `wbr` elements after the slashes of long paths. */
export function breakable(value: string): TreeNode[] {
  if (value.length < SHORT_PATH || !SLASH.test(value)) return [text(value)]
  return pieces(value).flatMap((piece, index) =>
    index === 0 ? [text(piece)] : [element('wbr', {}, []), text(piece)],
  )
}

/** The same for inline code, whose short arguments, such as `--no-verify`, stay on one line. */
export function breakableCode(value: string): TreeNode[] {
  if (!value.includes('-')) return breakable(value)
  return value
    .split(/(\s+)/)
    .filter((token) => token !== '')
    .flatMap((token) =>
      token.includes('-') && token.length <= LONGEST_WHOLE && !/[\s/\\]/.test(token)
        ? [element('span', { dataWhole: true }, [text(token)])]
        : breakable(token),
    )
}

const SLASH = /[/\\]/

function isLongPath(token: string): boolean {
  return token.length >= SHORT_PATH && token.length <= LONGEST_PATH && SLASH.test(token)
}

/** The parts between the possible breaks, each with the slash at its end. */
function pieces(value: string): readonly string[] {
  const found = ['']
  for (const token of value.split(/(\s+)/)) {
    const parts = isLongPath(token) ? (token.match(/[^/\\]*[/\\]+|[^/\\]+$/g) ?? [token]) : [token]
    found[found.length - 1] += parts[0] ?? ''
    found.push(...parts.slice(1))
  }
  return found
}

/**
 * The quoting of each character of a command line: bare, in quotes, or in the plain text of a heredoc. Never throws.
 */

export type Quoting = 'bare' | 'single' | 'double' | 'plain'

interface Open {
  readonly quoting: Quoting
  /** The character that ends this level; null at the outermost level. */
  readonly end: string | null
}

/** One entry for each UTF-16 unit. An incomplete command is read to its end. */
export function quotingOf(command: string): readonly Quoting[] {
  const quoting: Quoting[] = []
  const stack: Open[] = [{ quoting: 'bare', end: null }]
  let heredocs: string[] = []

  const take = (count: number, as = stack.at(-1)?.quoting ?? 'bare') => {
    for (let left = count; left > 0; left--) quoting.push(as)
  }
  const open = (as: Quoting, end: string) => {
    take(1)
    stack.push({ quoting: as, end })
  }

  while (quoting.length < command.length) {
    const at = quoting.length
    const sign = command[at] ?? ''
    const inside = stack.at(-1) ?? { quoting: 'bare', end: null }
    if (sign === '\\' && inside.quoting !== 'single') take(2)
    else if (sign === inside.end) {
      stack.pop()
      take(1, inside.quoting)
    } else if (inside.quoting === 'single') take(1)
    else if (sign === '`') open('bare', '`')
    else if (sign === '$' && command[at + 1] === '(') {
      take(1)
      open('bare', ')')
    } else if (inside.quoting === 'double') {
      take(1)
    } else if (sign === '(') open('bare', ')')
    else if (sign === '"') open('double', '"')
    else if (sign === "'") open('single', "'")
    else if (sign === '#' && /^$|[\s;&|(]/.test(command[at - 1] ?? '')) take(lineLength(command, at), 'plain')
    else if (sign === '<' && command[at - 1] !== '<') {
      const heredoc = matchAt(HEREDOC, command, at)
      if (heredoc) heredocs.push(heredoc[2] ?? '')
      take(heredoc?.[0].length ?? 1)
    } else if (sign === '\n' && heredocs.length > 0) {
      take(1)
      for (const mark of heredocs) take(bodyLength(command, quoting.length, mark), 'plain')
      heredocs = []
    } else take(1)
  }
  return quoting.slice(0, command.length)
}

/** `<<EOF`, `<<-'EOF'`, but not `<<<`. */
const HEREDOC = /<<(?!<)-?[ \t]*(['"\\]?)([\w.-]+)\1?/y

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function lineLength(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return (end < 0 ? text.length : end) - at
}

/** Up to and including the line that holds only the end mark. */
function bodyLength(text: string, at: number, mark: string): number {
  let end = at
  while (end < text.length) {
    const length = lineLength(text, end)
    const line = text.slice(end, end + length)
    end += length + 1
    if (line.replace(/^\t+/, '') === mark) return end - 1 - at
  }
  return Math.max(0, text.length - at)
}

/** What the user's own command says: the first line of its output, or a quiet mark where it failed. */
import { TriangleAlert } from 'lucide-react'
import { useMemo } from 'react'
import { makeVisible } from '../../../shared/visible-text.ts'
import { setPlace, useSession } from '../../stores/session-store.ts'
import { parseTerminal, stripTerminal, type TerminalLine } from '../../ui/ansi.ts'
import { terminalLook } from '../../ui/terminal-look.ts'
import { Tooltip } from '../../ui/tooltip.tsx'
import { VisibleText } from '../../ui/visible-text.tsx'

/** Characters of a line that are drawn: no window is wider. */
const LONGEST_LINE = 500

export function StatusLine() {
  const { text, problem } = useSession((state) => state.statusLine)
  if (problem !== null) return <Problem words={problem} />
  if (text === null) return null
  return <Output text={text} />
}

function Output({ text }: { readonly text: string }) {
  const line = useMemo(() => firstLine(text), [text])
  return (
    <Tooltip side="top" text={makeVisible(stripTerminal(text)).trim()}>
      <button
        type="button"
        data-status-line=""
        onClick={() => setPlace('settings')}
        className="min-w-0 flex-[0_1_auto] truncate whitespace-pre text-left hover:text-fg-0 focus-visible:-outline-offset-2"
      >
        {cut(line).map((run, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: runs never move
          <span key={index} className={terminalLook(run.style)}>
            <VisibleText>{run.text}</VisibleText>
          </span>
        ))}
      </button>
    </Tooltip>
  )
}

function Problem({ words }: { readonly words: string }) {
  const shown = makeVisible(words)
  return (
    <Tooltip side="top" text={shown}>
      <button
        type="button"
        aria-label={shown}
        data-status-line=""
        onClick={() => setPlace('settings')}
        className="flex shrink-0 items-center gap-1 hover:text-fg-0 focus-visible:-outline-offset-2"
      >
        <TriangleAlert aria-hidden="true" className="size-3" />
        status line
      </button>
    </Tooltip>
  )
}

/** The first line in which something can be seen. */
function firstLine(text: string): TerminalLine {
  const lines = parseTerminal(text)
  return lines.find((line) => line.some((run) => run.text.trim() !== '')) ?? []
}

function cut(line: TerminalLine): TerminalLine {
  let left = LONGEST_LINE
  return line.flatMap((run) => {
    const text = run.text.slice(0, left)
    left -= text.length
    return text === '' ? [] : [{ ...run, text }]
  })
}

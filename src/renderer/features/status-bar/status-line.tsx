/** The user's status line command: the first line of its output, or a small warning if it failed. */

import { TriangleAlert } from 'lucide-react'
import { useMemo } from 'react'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { useSession } from '../../stores/session-store.ts'
import { showSettingsPart } from '../../stores/settings-store.ts'
import { parseTerminal, stripTerminal, type TerminalLine, terminalStyle } from '../../ui/ansi.ts'
import { Tooltip } from '../../ui/popover.tsx'
import { VisibleText } from '../../ui/text/visible-text.tsx'

/** Rendered characters of a line. */
const MAX_LINE_LENGTH = 500

export function StatusLine() {
  const { text, problem } = useSession((state) => state.statusLine)
  if (problem !== null) return <Problem message={problem} />
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
        onClick={() => showSettingsPart('general')}
        className="min-w-0 flex-[0_1_auto] truncate whitespace-pre text-left hover:text-fg-0 focus-visible:-outline-offset-2"
      >
        {cut(line).map((run, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: runs never move
          <span key={index} className={terminalStyle(run.style)}>
            <VisibleText>{run.text}</VisibleText>
          </span>
        ))}
      </button>
    </Tooltip>
  )
}

function Problem({ message }: { readonly message: string }) {
  const shown = makeVisible(message)
  return (
    <Tooltip side="top" text={shown}>
      <button
        type="button"
        aria-label={shown}
        data-status-line=""
        onClick={() => showSettingsPart('general')}
        className="flex shrink-0 items-center gap-1 hover:text-fg-0 focus-visible:-outline-offset-2"
      >
        <TriangleAlert aria-hidden="true" className="size-3" />
        status line
      </button>
    </Tooltip>
  )
}

/** The first line with visible text. */
function firstLine(text: string): TerminalLine {
  const lines = parseTerminal(text)
  return lines.find((line) => line.some((run) => run.text.trim() !== '')) ?? []
}

function cut(line: TerminalLine): TerminalLine {
  let left = MAX_LINE_LENGTH
  return line.flatMap((run) => {
    const text = run.text.slice(0, left)
    left -= text.length
    return text === '' ? [] : [{ ...run, text }]
  })
}

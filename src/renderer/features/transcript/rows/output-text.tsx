/** A tool's output: head and tail at first, everything after a click. */
import { useState } from 'react'
import type { ToolRow } from '../../../../shared/transcript/transcript-row.ts'
import { command } from '../../../bridge.ts'
import { Button } from '../../../ui/button.tsx'
import { count } from '../../../ui/text/format.ts'
import { useSurroundings } from '../surroundings.ts'
import { TerminalText } from '../terminal/terminal-text.tsx'
import { useFold } from '../use-fold.ts'
import { clipLines } from './clip-lines.ts'

const HEAD_LINES = 60
const TAIL_LINES = 30
/** The maximum rendered length. Copying still copies the whole output in the transcript. */
const LONGEST = 2_000_000

/** The key that shows the whole output of a call. */
export const wholeOutputKey = (toolUseId: string): string => `output:${toolUseId}`

interface OutputTextProps {
  readonly text: string
  readonly toolUseId: string
  readonly outputFile: ToolRow['outputFile']
}

export function OutputText({ text, toolUseId, outputFile }: OutputTextProps) {
  const { agentId } = useSurroundings()
  const [file, setFile] = useState<string | null>(null)
  const [open, toggle] = useFold(wholeOutputKey(toolUseId))
  const whole = file ?? (open ? text : null)
  const [state, setState] = useState<'idle' | 'loading' | { failure: string }>('idle')
  const shown = (whole ?? text).slice(0, LONGEST)
  const clipped =
    whole === null ? clipLines(shown, HEAD_LINES, TAIL_LINES) : { head: shown, tail: '', hidden: 0 }

  const showAll = () => {
    if (outputFile === null) {
      toggle()
      return
    }
    setState('loading')
    void command('agent.toolOutput', { agentId, toolUseId }).then((answer) => {
      setState(answer.ok ? 'idle' : { failure: answer.failure.message })
      if (answer.ok) setFile(answer.value)
    })
  }
  const more = file === null && (clipped.hidden > 0 || outputFile !== null)
  return (
    <section
      aria-label="Output"
      dir="auto"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-[60vh] overflow-auto rounded-[6px] bg-bg-0 px-2.5 py-2 font-mono text-[0.71875rem] text-fg-1 leading-[1.55]"
    >
      <TerminalText text={clipped.head} />
      {more && (
        <div data-unsearched="" className="my-1 flex items-center gap-2 font-sans">
          <Button onClick={showAll} disabled={state === 'loading'}>
            {state === 'loading' ? 'Loading…' : `Show all${sizeOf(outputFile)}`}
          </Button>
          {clipped.hidden > 0 && (
            <span className="text-fg-2 text-xs">{count(clipped.hidden, 'line')} in between</span>
          )}
        </div>
      )}
      {clipped.tail !== '' && <TerminalText text={clipped.tail} />}
      {whole !== null && whole.length > LONGEST && (
        <p className="pt-1 font-sans text-fg-2 text-sm">The rest is too long to show here.</p>
      )}
      {typeof state === 'object' && <p className="pt-1 font-sans text-bad text-sm">{state.failure}</p>}
    </section>
  )
}

function sizeOf(outputFile: ToolRow['outputFile']): string {
  if (outputFile === null) return ''
  const { bytes } = outputFile
  return bytes < 1024 * 1024
    ? ` (${Math.round(bytes / 1024)} KB)`
    : ` (${(bytes / 1024 / 1024).toFixed(1)} MB)`
}

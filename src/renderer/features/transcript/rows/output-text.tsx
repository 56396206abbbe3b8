/** A tool's output: head and tail at first, everything after a click. */
import { useState } from 'react'
import type { ToolRow } from '../../../../shared/events/transcript-row.ts'
import { command } from '../../../bridge.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/text/class-names.ts'
import { count } from '../../../ui/text/format.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { useFold, useSurroundings } from '../surroundings.ts'
import { TerminalText } from '../terminal/terminal-text.tsx'
import { startOfText, TextPieces } from './long-text.tsx'

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

/** Markdown that the user did not write. Long text is folded. */
const FOLDED_LENGTH = 320
const FOLDED_LINES = 5

export function FoldedText({ rowKey, text }: { readonly rowKey: string; readonly text: string }) {
  const [open, toggle] = useFold(rowKey)
  const long = text.length > FOLDED_LENGTH || text.split('\n').length > FOLDED_LINES
  return (
    <>
      <div
        data-selectable=""
        className={classNames(
          'text-fg-1 text-sm',
          long &&
            !open &&
            'max-h-[4.4rem] overflow-hidden [mask-image:linear-gradient(#000_55%,transparent)]',
        )}
      >
        {long && open ? (
          <TextPieces rowKey={rowKey} text={text} format="markdown" />
        ) : (
          <Markdown text={long ? startOfText(text) : text} />
        )}
      </div>
      {long && (
        <Button
          data-unsearched=""
          variant="quiet"
          className="-ml-2.5 mt-0.5"
          aria-expanded={open}
          onClick={toggle}
        >
          {open ? 'Show less' : 'Show all'}
        </Button>
      )}
    </>
  )
}

/** The head and the tail of a long text, for its folded form. */
interface Clipped {
  readonly head: string
  /** Empty if no lines are left out. */
  readonly tail: string
  /** The number of lines left out. */
  readonly hidden: number
}

/** Keeps the first and the last lines. A slightly longer text stays whole. */
function clipLines(text: string, head: number, tail: number): Clipped {
  const lines = text.split('\n')
  const hidden = lines.length - head - tail
  if (hidden < 10) return { head: text, tail: '', hidden: 0 }
  return {
    head: lines.slice(0, head).join('\n'),
    tail: lines.slice(lines.length - tail).join('\n'),
    hidden,
  }
}

/** The last lines of a text, with a maximum of characters, for the output of a running command. */
export function lastLines(text: string, count: number, characters = 4000): string {
  const end = text.slice(-characters).replace(/\n+$/, '')
  return end.split('\n').slice(-count).join('\n')
}

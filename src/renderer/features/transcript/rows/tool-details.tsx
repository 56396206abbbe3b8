/** The details of a tool call: its input, and its output as a diff, a terminal, a list or plain text. */
import { SquareArrowOutUpRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { isDecided, type ToolRow } from '../../../../shared/events/transcript-row.ts'
import type { ImageBlock } from '../../../../shared/messages/content.ts'
import { textOf } from '../../../../shared/messages/text-of.ts'
import { Button } from '../../../ui/button.tsx'
import { DiffView } from '../../../ui/diff-view.tsx'
import { CommandText, VisibleText } from '../../../ui/text/visible-text.tsx'
import { TodoList } from '../../../ui/todo-list.tsx'
import { CopyButton } from '../copy-button.tsx'
import { useSurroundings } from '../surroundings.ts'
import { ImageView } from './image-view.tsx'
import { OutputText } from './output-text.tsx'
import { inputParts } from './tool-input.ts'

export function ToolDetails({ row }: { readonly row: ToolRow }) {
  const images = Array.isArray(row.content)
    ? row.content.filter((block): block is ImageBlock => block.type === 'image')
    : []
  const output = row.content === null ? '' : textOf(row.content)
  return (
    <div data-selectable="" className="mt-1.5 flex flex-col gap-1.5 border-line border-l-2 pl-2.5">
      <Input row={row} />
      {row.display?.kind === 'diff' && row.status !== 'failed' ? (
        <DiffView patch={row.display.patch} label={`Changes in ${row.display.path}`} />
      ) : row.display?.kind === 'todos' ? (
        <TodoList todos={row.display.todos} className="rounded-[6px] bg-bg-0 px-2.5 py-2" />
      ) : (
        output !== '' && (
          <Labelled label={row.status === 'failed' && !isDecided(row) ? 'Error' : 'Output'} copy={output}>
            <OutputText text={output} toolUseId={row.toolUseId} outputFile={row.outputFile} />
          </Labelled>
        )
      )}
      {images.map((image, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the images of one result never move
        <ImageView key={index} image={image} label={`Image ${index + 1} of ${row.name}`} />
      ))}
      {row.display?.kind === 'terminal' && !isDecided(row) && <ExitCode display={row.display} />}
      {output === '' && images.length === 0 && row.content !== null && row.display === null && (
        <p className="text-fg-2 text-sm">No output.</p>
      )}
    </div>
  )
}

function Input({ row }: { readonly row: ToolRow }) {
  const { openFile } = useSurroundings()
  const { path, command, fields } = inputParts(row)
  return (
    <>
      {path !== null && (
        <div className="flex items-center gap-2">
          <span className="min-w-0 truncate font-mono text-fg-1 text-xs">
            <VisibleText>{path}</VisibleText>
          </span>
          <Button variant="quiet" data-unsearched="" onClick={() => openFile({ path, line: null })}>
            <SquareArrowOutUpRight size={12} aria-hidden="true" /> Open in editor
          </Button>
        </div>
      )}
      {command !== null ? (
        <Labelled label="Command" copy={command}>
          <Code dir="ltr">
            <CommandText>{command}</CommandText>
          </Code>
        </Labelled>
      ) : (
        fields !== '' && (
          <Labelled label="Input" copy={JSON.stringify(row.input, null, 2)}>
            <Code dir="auto">
              <VisibleText>{fields}</VisibleText>
            </Code>
          </Labelled>
        )
      )}
    </>
  )
}

/** A labeled part with a copy button. */
function Labelled(props: { readonly label: string; readonly copy: string; readonly children: ReactNode }) {
  return (
    <div className="group/part">
      <div data-unsearched="" className="flex h-[22px] items-center justify-between text-fg-2 text-xs">
        {props.label}
        <CopyButton
          text={props.copy}
          label={`Copy ${props.label.toLowerCase()}`}
          className="opacity-0 focus-visible:opacity-100 group-hover/part:opacity-100"
        />
      </div>
      {props.children}
    </div>
  )
}

function Code({ dir, children }: { readonly dir: 'ltr' | 'auto'; readonly children: ReactNode }) {
  return (
    <pre
      dir={dir}
      className="max-h-72 overflow-auto whitespace-pre-wrap rounded-[6px] bg-bg-0 px-2.5 py-1.5 font-mono text-[0.71875rem] text-fg-0 leading-[1.55] wrap-anywhere"
    >
      {children}
    </pre>
  )
}

function ExitCode({
  display,
}: {
  readonly display: { readonly exitCode: number | null; readonly timedOut: boolean }
}) {
  if (display.timedOut) return <p className="text-bad text-sm">Timed out.</p>
  if (display.exitCode === null) return <p className="text-fg-2 text-sm">Ended by a signal.</p>
  if (display.exitCode === 0) return null
  return <p className="text-bad text-sm">Exit code {display.exitCode}</p>
}

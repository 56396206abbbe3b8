/** The deleted definitions: their texts, restore, and delete for good. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type {
  DefinitionTrash,
  TrashedDefinition,
} from '../../../../shared/agent-definition/agent-definition.ts'
import { command } from '../../../bridge.ts'
import { revealPath, showNotice } from '../../../stores/overlay-store.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { useNow } from '../../../ui/machine.ts'
import { classNames } from '../../../ui/text/class-names.ts'
import { count, formatAgo } from '../../../ui/text/format.ts'
import { VisibleText } from '../../../ui/text/visible-text.tsx'
import { restoreDefinition } from '../definition-files.ts'
import { focusList, showDialog } from '../editor-store.ts'

export function DefinitionTrashDialog() {
  const { trash, failure, reload } = useTrash()
  const [chosen, setChosen] = useState<string | null>(null)
  const [asking, setAsking] = useState<readonly TrashedDefinition[] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const all = trash?.definitions ?? []
  const shown = all.find(({ trashId }) => trashId === chosen) ?? all[0]
  const close = () => showDialog(null)

  const restore = async ({ trashId }: TrashedDefinition) => {
    const answer = await restoreDefinition(trashId)
    if (!answer.ok) return setProblem(answer.failure.message)
    close()
    focusList()
  }
  const remove = async (definitions: readonly TrashedDefinition[]) => {
    const answer = await command('definition.deleteTrashed', {
      trashIds: definitions.map(({ trashId }) => trashId),
    })
    setAsking(null)
    setProblem(answer.ok ? null : answer.failure.message)
    if (answer.ok) showNotice({ level: 'info', text: `Deleted ${count(definitions.length, 'agent')}.` })
    await reload()
  }
  if (asking !== null)
    return (
      <Dialog
        open
        onClose={() => setAsking(null)}
        title="Delete for good?"
        description={
          asking.length === 1 && asking[0] !== undefined
            ? `${asking[0].name} is deleted from the trash. This can’t be undone.`
            : `${count(asking.length, 'agent')} are deleted from the trash. This can’t be undone.`
        }
        actions={
          <>
            <Button autoFocus onClick={() => setAsking(null)}>
              Cancel
            </Button>
            <Button variant="danger" onClick={() => void remove(asking)}>
              Delete for good
            </Button>
          </>
        }
      />
    )
  return (
    <Dialog
      open
      onClose={close}
      title="Deleted agents"
      description={
        failure ??
        (trash === null
          ? 'Loading…'
          : all.length === 0
            ? 'The trash is empty. Agents that you delete stay here until you delete them for good.'
            : 'From all folders, the last deleted first.')
      }
      width={760}
      actions={
        <>
          {trash !== null && all.length > 0 && (
            <Button className="mr-auto" variant="danger" onClick={() => setAsking(all)}>
              Empty trash…
            </Button>
          )}
          {shown !== undefined && (
            <>
              <Button variant="danger" onClick={() => setAsking([shown])}>
                Delete for good…
              </Button>
              <Button variant="primary" onClick={() => void restore(shown)}>
                Restore
              </Button>
            </>
          )}
          <Button onClick={close}>Close</Button>
        </>
      }
    >
      {trash !== null && shown !== undefined && (
        <div className="grid gap-2">
          <div className="grid h-[42vh] grid-cols-[minmax(0,15rem)_minmax(0,1fr)] gap-3">
            <Rows rows={all} shown={shown} onChoose={setChosen} />
            <Preview key={shown.trashId} definition={shown} />
          </div>
          <p className="flex items-baseline gap-2 text-fg-2 text-xs">
            <span className="min-w-0 truncate font-mono" data-selectable="">
              {`${trash.folder}/${shown.trashId}`}
            </span>
            <Button
              variant="quiet"
              className="shrink-0"
              onClick={() => void revealPath(`${trash.folder}/${shown.trashId}`)}
            >
              Show in file manager
            </Button>
          </p>
          {problem !== null && (
            <p role="alert" className="text-bad text-sm">
              {problem}
            </p>
          )}
        </div>
      )}
    </Dialog>
  )
}

function useTrash() {
  const [trash, setTrash] = useState<DefinitionTrash | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const reload = async () => {
    const answer = await command('definition.listTrash', {})
    if (answer.ok) setTrash(answer.value)
    setFailure(answer.ok ? null : answer.failure.message)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads once
  useEffect(() => void reload(), [])
  return { trash, failure, reload }
}

interface RowsProps {
  readonly rows: readonly TrashedDefinition[]
  readonly shown: TrashedDefinition
  readonly onChoose: (trashId: string) => void
}

/** The arrow keys move through the rows and show each definition. */
function Rows({ rows, shown, onChoose }: RowsProps) {
  const now = useNow(false)
  const list = useRef<HTMLUListElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    const at = rows.indexOf(shown)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key]
    const next = to === undefined ? undefined : rows[to]
    if (to === undefined) return
    event.preventDefault()
    if (next === undefined) return
    onChoose(next.trashId)
    list.current?.querySelectorAll('button')[to]?.focus()
  }
  return (
    <ul
      ref={list}
      aria-label="Deleted agents"
      onKeyDown={onKeyDown}
      className="min-h-0 overflow-y-auto rounded-md border border-line bg-bg-0 p-1"
    >
      {rows.map((row) => (
        <li key={row.trashId}>
          <button
            type="button"
            aria-current={row === shown ? 'true' : undefined}
            tabIndex={row === shown ? 0 : -1}
            onClick={() => onChoose(row.trashId)}
            title={row.file}
            className={classNames(
              'w-full rounded-sm px-2 py-1 text-left text-sm focus-visible:-outline-offset-2',
              row === shown ? 'bg-bg-3 text-fg-0' : 'text-fg-1 hover:bg-bg-2',
            )}
          >
            <span className="flex items-baseline gap-2">
              <span className="min-w-0 flex-1 truncate">{row.name}</span>
              <span className="shrink-0 font-mono text-fg-2 text-xs">
                {formatAgo(row.trashedAt, Math.max(now, row.trashedAt))}
              </span>
            </span>
            <span dir="rtl" className="block truncate text-left text-fg-2 text-xs">
              <bdi dir="ltr">{row.file}</bdi>
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

function Preview({ definition }: { readonly definition: TrashedDefinition }) {
  const { trashId, name } = definition
  const [text, setText] = useState<string | null>(null)
  useEffect(() => {
    let isCurrent = true
    void command('definition.readTrashed', { trashId }).then((answer) => {
      if (isCurrent) setText(answer.ok ? answer.value : answer.failure.message)
    })
    return () => {
      isCurrent = false
    }
  }, [trashId])
  return (
    <section
      aria-label={`Text of ${name}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled text must be reachable by keyboard
      tabIndex={0}
      className="min-h-0 overflow-auto rounded-md border border-line bg-bg-0 p-2.5"
    >
      <p className="mb-2 break-all text-fg-2 text-xs" data-selectable="">
        {definition.file}
      </p>
      <pre data-selectable="" className="whitespace-pre-wrap font-mono text-fg-0 text-xs wrap-anywhere">
        <VisibleText>{(text ?? '').slice(0, MOST_SHOWN)}</VisibleText>
      </pre>
      {text !== null && text.length > MOST_SHOWN && (
        <p className="mt-2 text-fg-2 text-xs">The text is longer. Restore the agent to read all of it.</p>
      )}
    </section>
  )
}

/** Maximum characters of a preview. */
const MOST_SHOWN = 50_000

/** What agents changed: files and commands by agent, the changes of the selected file, and their undo. */
import { Redo2, SquareTerminal, Undo2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { ChangesList } from '../../../shared/changes.ts'
import { askUndo, useChanges } from '../../stores/changes-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Dot } from '../../ui/dot.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { count } from '../../ui/format.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { ChangedFile } from './changed-file.tsx'
import { type AgentRows, type FileRow, rowsOf } from './changes-rows.ts'
import { UndoPanel } from './undo-preview.tsx'

interface Selection {
  readonly agentId: string
  readonly path: string
  readonly toolUseId: string | null
}

export function ChangesView() {
  const list = useChanges((state) => state.list)
  const failure = useChanges((state) => state.failure)
  if (list === null || (list.agents.length === 0 && list.user.length === 0))
    return (
      <section aria-label="Changes" className="flex min-h-0 flex-1">
        <EmptyState title={failure !== null ? 'Changes can’t be listed' : 'No changes'}>
          {failure ?? (list === null ? <Spinner /> : 'Files that agents change are listed here.')}
        </EmptyState>
      </section>
    )
  return <Listed list={list} failure={failure} />
}

function Listed({ list, failure }: { readonly list: ChangesList; readonly failure: string | null }) {
  const groups = useMemo(() => rowsOf(list), [list])
  const [wanted, select] = useState<Selection | null>(null)
  const selected = fileOf(groups, wanted)
  return (
    <section aria-label="Changes" className="flex min-h-0 min-w-0 flex-1 flex-col bg-bg-0">
      <Bar list={list} groups={groups} />
      {failure !== null && (
        <p role="alert" className="px-3 py-1 text-bad text-sm">
          {failure}
        </p>
      )}
      <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <div className="min-h-0 overflow-y-auto border-line border-r bg-bg-1 py-1.5">
          {groups.map((group) => (
            <Group key={group.agent.agentId} group={group} list={list} selected={wanted} onSelect={select} />
          ))}
          <UserFiles list={list} />
        </div>
        <div className="flex min-h-0 min-w-0 flex-col">
          {wanted === null || selected === null ? (
            <p className="p-3 text-fg-2 text-sm">Select a file to see its changes.</p>
          ) : (
            <>
              <FileHeader file={selected} agentId={wanted.agentId} name={nameOf(list, wanted.agentId)} />
              <ChangedFile
                {...wanted}
                conversationId={list.conversationId}
                shown={selected.shown}
                version={list}
              />
            </>
          )}
        </div>
      </div>
      <UndoPanel />
    </section>
  )
}

function Bar({ list, groups }: { readonly list: ChangesList; readonly groups: readonly AgentRows[] }) {
  const canUndo = groups.some((group) => group.canUndo)
  return (
    <header className="flex h-9 shrink-0 items-center gap-2 border-line border-b bg-bg-1 px-2.5 text-sm">
      <h2 className="font-semibold text-fg-0">Changes by agent</h2>
      <span className="flex-1" />
      <Button
        variant="quiet"
        disabled={!canUndo}
        onClick={() => askUndo({ kind: 'undo', scope: { kind: 'all' }, title: 'Undo all changes of agents' })}
      >
        <Undo2 size={13} aria-hidden="true" />
        Undo all…
      </Button>
      <Button
        variant="quiet"
        disabled={list.redo === null}
        onClick={() => askUndo({ kind: 'redo', title: 'Redo the last undo' })}
      >
        <Redo2 size={13} aria-hidden="true" />
        Redo…
      </Button>
    </header>
  )
}

function FileHeader({
  file,
  agentId,
  name,
}: {
  readonly file: FileRow
  readonly agentId: string
  readonly name: string
}) {
  const title = `Undo what ${name} changed in ${file.shown}`
  return (
    <div className="flex h-9 shrink-0 items-center gap-2 border-line border-b px-3 text-sm">
      <h3 className="min-w-0 truncate font-mono text-fg-0 text-xs" title={file.shown}>
        {file.shown}
      </h3>
      <span className="min-w-0 flex-1 truncate text-fg-2">
        {file.undone ? 'undone' : (file.cannot ?? name)}
      </span>
      <Button
        variant="quiet"
        disabled={file.undone || file.cannot !== null}
        onClick={() => askUndo({ kind: 'undo', scope: { kind: 'file', path: file.path, agentId }, title })}
      >
        Undo this file…
      </Button>
    </div>
  )
}

interface GroupProps {
  readonly group: AgentRows
  readonly list: ChangesList
  readonly selected: Selection | null
  readonly onSelect: (selection: Selection) => void
}

function Group({ group, list, selected, onSelect }: GroupProps) {
  const { agent, files, commands, amount } = group
  const { agentId, name } = agent
  const row = (file: FileRow, toolUseId: string | null) => (
    <Row
      key={file.path}
      file={file}
      others={file.alsoBy.map((id) => nameOf(list, id))}
      nested={toolUseId !== null}
      isSelected={
        selected?.agentId === agentId && selected.path === file.path && selected.toolUseId === toolUseId
      }
      onSelect={() => onSelect({ agentId, path: file.path, toolUseId })}
    />
  )
  return (
    <section aria-label={name} className="pb-2" style={agentStyle(agent.color)}>
      <div className="flex h-7 items-center gap-2 px-3 text-sm">
        <Dot status="completed" />
        <h3 className="truncate font-semibold text-fg-0">{name}</h3>
        <span className="flex-1 truncate text-fg-2">
          {amount === 0 ? 'no file' : count(amount, 'file')}
          {agent.worktree !== null &&
            ` · worktree${agent.worktree.state === 'present' ? '' : ` ${agent.worktree.state}`}`}
        </span>
        <Lines added={group.added} removed={group.removed} />
        <Button
          variant="quiet"
          disabled={!group.canUndo}
          aria-label={`Undo what ${name} changed…`}
          onClick={() =>
            askUndo({ kind: 'undo', scope: { kind: 'agent', agentId }, title: `Undo what ${name} changed` })
          }
        >
          Undo…
        </Button>
      </div>
      <ul>{files.map((file) => row(file, null))}</ul>
      {commands.map(({ call, files: changed }) => (
        <div key={call.toolUseId}>
          <p className="flex items-center gap-2 px-3 py-0.5 text-xs">
            <SquareTerminal size={12} aria-hidden="true" className="shrink-0 text-fg-2" />
            <span className="min-w-0 flex-1 truncate font-mono text-fg-1" title={call.label}>
              {call.label}
            </span>
            <span className="shrink-0 text-fg-2">
              {changed.length === 0 ? 'no file kept' : count(changed.length, 'file')}
            </span>
          </p>
          <ul>{changed.map((file) => row(file, call.toolUseId))}</ul>
          {(call.note !== '' || call.ignored > 0) && (
            <p className="px-3 pl-8 text-fg-2 text-xs wrap-anywhere">
              {call.ignored > 0 && `${count(call.ignored, 'ignored file')} changed, not kept. `}
              {call.note}
            </p>
          )}
        </div>
      ))}
    </section>
  )
}

const LETTERS = { A: 'added', M: 'changed', D: 'deleted', R: 'renamed' } as const

interface RowProps {
  readonly file: FileRow
  /** The names of other agents that changed the file. */
  readonly others: readonly string[]
  readonly nested: boolean
  readonly isSelected: boolean
  readonly onSelect: () => void
}

function Row({ file, others, nested, isSelected, onSelect }: RowProps) {
  return (
    <li>
      <button
        type="button"
        aria-current={isSelected}
        onClick={onSelect}
        className={classNames(
          'flex w-full items-center gap-2 py-0.5 pr-3 text-left text-sm hover:bg-bg-2 focus-visible:-outline-offset-2',
          nested ? 'pl-8' : 'pl-4',
          isSelected && 'bg-bg-3',
        )}
      >
        <span aria-hidden="true" className="w-3 shrink-0 font-mono text-fg-2 text-xs">
          {file.letter}
        </span>
        <span className="sr-only">{LETTERS[file.letter]} </span>
        <span
          title={file.shown}
          className={classNames(
            'min-w-0 flex-1 truncate',
            file.undone ? 'text-fg-2 line-through' : 'text-fg-0',
          )}
        >
          {file.shown}
        </span>
        {others.length > 0 && <span className="truncate text-fg-2 text-xs">also {others.join(', ')}</span>}
        {file.undone && <span className="shrink-0 text-fg-2 text-xs">undone</span>}
        <Lines added={file.added} removed={file.removed} />
      </button>
      {file.cannot !== null && (
        <p className="px-3 pb-1 pl-9 text-fg-2 text-xs wrap-anywhere">Can’t be undone: {file.cannot}</p>
      )}
    </li>
  )
}

function Lines({ added, removed }: { readonly added: number | null; readonly removed: number | null }) {
  return (
    <span className="flex shrink-0 gap-1.5 font-mono text-xs">
      {added !== null && added > 0 && <span className="text-ok">+{added}</span>}
      {removed !== null && removed > 0 && <span className="text-bad">−{removed}</span>}
    </span>
  )
}

function UserFiles({ list }: { readonly list: ChangesList }) {
  if (list.user.length === 0) return null
  return (
    <section aria-label="You" className="pb-2">
      <div className="flex h-7 items-center gap-2 px-3 text-sm">
        <h3 className="font-semibold text-fg-0">You</h3>
        <span className="truncate text-fg-2">
          {count(list.user.length, 'file')}, never touched by an undo
        </span>
      </div>
      <ul>
        {list.user.map(({ path, shown, letter }) => (
          <li key={path} className="flex gap-2 py-0.5 pr-3 pl-4 text-sm">
            <span className="w-3 shrink-0 font-mono text-fg-2 text-xs">{letter}</span>
            <span className="truncate text-fg-1" title={shown}>
              {shown}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function nameOf({ agents }: ChangesList, agentId: string): string {
  return agents.find((agent) => agent.agentId === agentId)?.name ?? agentId
}

function fileOf(groups: readonly AgentRows[], selection: Selection | null): FileRow | null {
  const group = groups.find(({ agent }) => agent.agentId === selection?.agentId)
  if (group === undefined || selection === null) return null
  const files =
    selection.toolUseId === null
      ? group.files
      : group.commands.find(({ call }) => call.toolUseId === selection.toolUseId)?.files
  return files?.find(({ path }) => path === selection.path) ?? null
}

/** The rows of the list of changes, each drawn by its kind. */
import { ChevronRight, History, SquareTerminal } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ListedAgent, ListedMessage } from '../../../shared/changes/changes.ts'
import { askUndo, backTo } from '../../stores/changes-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dot } from '../../ui/dot.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { backTitle, count, formatClock } from '../../ui/text/format.ts'
import { PathText } from '../../ui/text/visible-text.tsx'
import type { FileRow, ListRow } from './changes-rows.ts'

export interface RowActions {
  readonly onSelect: (key: string) => void
  readonly onFold: (key: string) => void
  /** Whether the rows of the list are grouped by message: each file then shows its agent. */
  readonly byMessage: boolean
}

export function ChangeRow({
  row,
  isSelected,
  actions,
}: {
  readonly row: ListRow
  readonly isSelected: boolean
  readonly actions: RowActions
}) {
  switch (row.kind) {
    case 'agent':
    case 'message':
    case 'user':
      return <Group row={row} onFold={actions.onFold} />
    case 'file':
      return <File row={row} isSelected={isSelected} actions={actions} />
    case 'command':
      return (
        <p className="flex h-6 items-center gap-2 px-3 pl-[1.875rem] text-xs">
          <SquareTerminal size={12} aria-hidden="true" className="shrink-0 text-fg-2" />
          <span className="min-w-0 flex-1 truncate font-mono text-fg-0" title={row.call.label}>
            {row.call.label}
          </span>
          <span className="shrink-0 font-mono text-fg-2">{row.text}</span>
        </p>
      )
    case 'note':
      return (
        <p
          className={classNames(
            'pr-3 pb-1 text-fg-2 text-xs wrap-anywhere',
            row.isNested ? 'pl-[4rem]' : 'pl-[3rem]',
          )}
        >
          {row.text}
        </p>
      )
    case 'user-file':
      return (
        <p className="flex h-6 items-center gap-2 pr-3 pl-[1.875rem] text-sm">
          <span className="w-3 shrink-0 font-mono text-fg-2 text-xs">{row.file.letter}</span>
          <span className="min-w-0 text-fg-1" title={row.file.shown}>
            <PathText path={row.file.shown} />
          </span>
        </p>
      )
  }
}

type GroupRow = Extract<ListRow, { kind: 'agent' | 'message' | 'user' }>

function Group({ row, onFold }: { readonly row: GroupRow; readonly onFold: (key: string) => void }) {
  const { amounts, isOpen, key } = row
  return (
    <div
      className="group/head flex h-7 items-center gap-2 pr-2 pl-2 text-sm"
      style={row.kind === 'agent' ? agentStyle(row.agent.color) : undefined}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => onFold(key)}
        className="flex min-w-0 flex-1 items-center gap-2 rounded-xs text-left focus-visible:-outline-offset-2"
      >
        <ChevronRight
          size={12}
          aria-hidden="true"
          className={classNames(
            'shrink-0 text-fg-2 transition-transform duration-100',
            isOpen && 'rotate-90',
          )}
        />
        <GroupName row={row} />
      </button>
      <Lines added={amounts.added} removed={amounts.removed} />
      {row.kind === 'agent' && (
        <Button
          variant="quiet"
          className="px-1.5"
          disabled={!amounts.canUndo}
          aria-label={`Undo what ${row.agent.name} changed…`}
          onClick={() => askAgent(row.agent)}
        >
          Undo…
        </Button>
      )}
      {row.kind === 'message' && row.message !== null && <BackButton message={row.message} />}
    </div>
  )
}

export function askAgent(agent: ListedAgent): void {
  const scope = { kind: 'agent', agentId: agent.agentId } as const
  askUndo({ kind: 'undo', scope, title: `Undo what ${quotedName(agent)} changed` })
}

/** The name for a sentence: a task that stands for a name is in quotes. */
export function quotedName({ name, sharedName = name }: ListedAgent): string {
  return name === sharedName ? name : `“${name}”`
}

function BackButton({ message }: { readonly message: ListedMessage }) {
  const title = backTitle(message)
  return <IconButton icon={History} label={`${title}…`} onClick={() => backTo({ seq: message.seq, title })} />
}

function GroupName({ row }: { readonly row: GroupRow }): ReactNode {
  const files = row.amounts.files === 0 ? 'no file' : count(row.amounts.files, 'file')
  switch (row.kind) {
    case 'agent': {
      const { name, worktree } = row.agent
      const where =
        worktree === null ? '' : ` · worktree${worktree.state === 'present' ? '' : ` ${worktree.state}`}`
      return (
        <>
          <Dot status="completed" />
          <span className="min-w-0 truncate font-semibold text-fg-0">{name}</span>
          <span className="min-w-0 shrink-[3] truncate text-fg-2 @max-[270px]/list:hidden">
            {files}
            {where}
          </span>
        </>
      )
    }
    case 'message':
      if (row.message === null) return <span className="truncate text-fg-1">Before the first message</span>
      return (
        <span className="min-w-0 truncate text-fg-2" title={row.message.text}>
          <span className="font-semibold text-fg-0">{formatClock(row.message.at)}</span> {row.message.text}
        </span>
      )
    case 'user':
      return (
        <>
          <span aria-hidden="true" className="size-2 shrink-0 rounded-full bg-fg-0" />
          <span className="font-semibold text-fg-0">You</span>
          <span className="min-w-0 truncate text-fg-2">{files}, never touched by an undo</span>
        </>
      )
  }
}

const LETTERS = { A: 'added', M: 'changed', D: 'deleted', R: 'renamed' } as const

interface FileProps {
  readonly row: FileRow
  readonly isSelected: boolean
  readonly actions: RowActions
}

function File({ row, isSelected, actions }: FileProps) {
  const { alsoBy, undone, agent } = row
  return (
    <button
      type="button"
      data-file-row={row.key}
      tabIndex={isSelected ? 0 : -1}
      aria-current={isSelected}
      onClick={() => actions.onSelect(row.key)}
      className={classNames(
        'flex h-6 w-full items-center gap-2 pr-3 text-left text-sm hover:bg-bg-2 focus-visible:-outline-offset-2',
        row.isCommand ? 'pl-[3rem]' : 'pl-[1.875rem]',
        isSelected && 'bg-bg-3',
      )}
    >
      <span aria-hidden="true" className="w-3 shrink-0 font-mono text-fg-2 text-xs">
        {row.letter}
      </span>
      <span className="sr-only">{LETTERS[row.letter]} </span>
      <span
        title={row.shown}
        className={classNames('min-w-[5ch] flex-1', undone ? 'text-fg-2 line-through' : 'text-fg-0')}
      >
        <PathText path={row.shown} />
      </span>
      {alsoBy.length > 0 && (
        <Tag title={`Also changed by ${alsoBy.join(', ')}`}>also {alsoBy.join(', ')}</Tag>
      )}
      {undone && <Tag>undone</Tag>}
      {row.isChangedByUser && !undone && (
        <span title="You changed it too" className="size-[7px] shrink-0 rotate-45 rounded-[1px] bg-needs-you">
          <span className="sr-only"> you changed it too </span>
        </span>
      )}
      {actions.byMessage && (
        <span
          title={agent.name}
          style={agentStyle(agent.color)}
          className="size-2 shrink-0 rounded-full bg-agent"
        >
          <span className="sr-only"> by {agent.name} </span>
        </span>
      )}
      <Lines added={row.added} removed={row.removed} />
    </button>
  )
}

function Tag({ children, title }: { readonly children: ReactNode; readonly title?: string }) {
  return (
    <span
      title={title}
      className="min-w-0 max-w-[30%] shrink-[2] truncate rounded-[4px] border border-line px-1 text-2xs text-fg-2 leading-4"
    >
      {children}
    </span>
  )
}

export function Lines({
  added,
  removed,
}: {
  readonly added: number | null
  readonly removed: number | null
}) {
  return (
    <span className="flex shrink-0 gap-1.5 font-mono text-xs">
      {added !== null && added > 0 && <span className="text-ok">+{added}</span>}
      {removed !== null && removed > 0 && <span className="text-bad">−{removed}</span>}
    </span>
  )
}

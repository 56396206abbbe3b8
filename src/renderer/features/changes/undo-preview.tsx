/** What an undo or a redo would do to each file, and the button that does it. */
import {
  Circle,
  CircleAlert,
  CircleStop,
  Diamond,
  GitMerge,
  type LucideIcon,
  MessageSquare,
  Redo2,
  Trash2,
  Undo2,
} from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import type { ConflictChoice, PreviewedFile, UndoPreview } from '../../../shared/changes/changes.ts'
import {
  applyUndo,
  cancelUndo,
  chooseFor,
  messageGoneBackTo,
  setContinues,
  useChanges,
} from '../../stores/changes-store.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { count } from '../../ui/text/format.ts'
import { quotedName } from './change-rows-view.tsx'

const ACTIONS: Readonly<Record<PreviewedFile['action'], string>> = {
  restored: 'goes back',
  deleted: 'is deleted',
  recreated: 'comes back',
  merged: 'is merged',
  choose: 'you decide',
  unchanged: 'stays as it is',
  impossible: 'can’t be undone',
}

/** For several files. */
const PLURAL: Readonly<Record<PreviewedFile['action'], string>> = {
  restored: 'go back',
  deleted: 'are deleted',
  recreated: 'come back',
  merged: 'are merged',
  choose: 'you decide',
  unchanged: 'stay as they are',
  impossible: 'can’t be undone',
}

const ICONS: Readonly<Record<PreviewedFile['action'], LucideIcon>> = {
  restored: Undo2,
  deleted: Trash2,
  recreated: Undo2,
  merged: GitMerge,
  choose: Diamond,
  unchanged: Circle,
  impossible: CircleAlert,
}

export function UndoPanel() {
  const asked = useChanges((state) => state.asked)
  const days = useChanges((state) => state.list?.kept.days ?? null)
  const panel = useRef<HTMLElement>(null)
  const question = asked?.question
  // The focus goes to the preview and, when it closes, back to where it was.
  useEffect(() => {
    if (question === undefined) return
    const opener = document.activeElement
    panel.current?.focus()
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [question])
  if (asked === null) return null
  const { preview, isCurrent, failure, busy } = asked
  const TitleIcon = asked.question.kind === 'redo' ? Redo2 : Undo2
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || busy) return
    event.preventDefault()
    event.stopPropagation()
    cancelUndo()
  }
  const isBack = messageGoneBackTo({ asked }) !== null
  const { scope } = preview ?? { scope: null }
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-label={asked.question.title}
      onKeyDown={onKeyDown}
      className="@container/undo flex max-h-[55%] shrink-0 flex-col border-line-strong border-t bg-bg-1 outline-none"
    >
      <div className="flex items-center gap-2 px-3.5 pt-2.5 pb-1 text-sm">
        <TitleIcon size={14} aria-hidden="true" className="shrink-0 text-fg-1" />
        <h3 className="min-w-0 truncate font-semibold text-fg-0">{asked.question.title}</h3>
        <span className="min-w-0 flex-1 truncate text-fg-2">
          <span className="@max-[560px]/undo:hidden">Nothing has happened yet. This is what will:</span>
        </span>
        <Kbd keys="Esc" />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-3.5">
        {preview === null && failure === null && <Spinner />}
        {preview !== null && (
          <>
            {isBack && <LeftOut preview={preview} />}
            <Files preview={preview} choices={asked.choices} />
            {preview.notUndone.map(({ label, reason }) => (
              <Line
                key={`${label} ${reason}`}
                icon={CircleAlert}
                name={label}
                action="is not undone"
                reason={reason}
              />
            ))}
            <Stays preview={preview} />
          </>
        )}
        <p role="alert" className="py-1 text-bad text-sm empty:hidden">
          {failure}
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-2 px-3.5 py-2.5">
        <Button
          variant="primary"
          size="md"
          disabled={preview === null || !isCurrent || (amountOf(preview) === 0 && !isBack)}
          aria-busy={busy}
          onClick={() => void applyUndo()}
        >
          {preview === null ? 'Undo' : applyText(preview, isBack)}
        </Button>
        <Button size="md" disabled={busy} onClick={cancelUndo}>
          Cancel
        </Button>
        <span className="flex-1" />
        {scope?.kind === 'message' && preview?.redoOf === null && (
          <label className="flex items-center gap-1.5 text-fg-1 text-sm">
            <input
              type="checkbox"
              checked={!asked.continues}
              onChange={({ target }) => setContinues(!target.checked)}
              className="accent-accent"
            />
            Only the files, keep the conversation
          </label>
        )}
        {days !== null && preview?.redoOf === null && (
          <span className="text-fg-2 text-sm">Can be redone, for {count(days, 'day')}.</span>
        )}
      </div>
    </section>
  )
}

/** What going back does besides the files. */
function LeftOut({ preview: { messages, messageText, stops } }: { readonly preview: UndoPreview }) {
  return (
    <>
      <Line
        icon={MessageSquare}
        name={count(messages, 'message')}
        action={messages === 1 ? 'is taken out' : 'are taken out'}
        reason={
          messageText === ''
            ? 'The earlier conversation stays in the list.'
            : 'Your message is in the composer again. The earlier conversation stays in the list.'
        }
      />
      {stops.map(({ agentId, name }) => (
        <Line key={agentId} icon={CircleStop} name={name} action="is stopped" danger reason="It works now." />
      ))}
    </>
  )
}

/** Files with the same fate share a line from this number on. */
const MANY = 6
const NAMED = 8

interface FilesProps {
  readonly preview: UndoPreview
  readonly choices: Readonly<Record<string, ConflictChoice>>
}

function Files({ preview: { files }, choices }: FilesProps) {
  const groups = new Map<PreviewedFile['action'], PreviewedFile[]>()
  for (const file of files) groups.set(file.action, [...(groups.get(file.action) ?? []), file])
  return [...groups].flatMap(([action, own]) =>
    own.length < MANY || action === 'choose' || action === 'impossible'
      ? own.map((file) => <FileLine key={file.path} file={file} choice={choices[file.path]} />)
      : [
          <Line
            key={action}
            icon={ICONS[action]}
            name={count(own.length, 'file')}
            action={PLURAL[action]}
            danger={action === 'deleted'}
            reason={`${own
              .slice(0, NAMED)
              .map(({ shown }) => shown.slice(shown.lastIndexOf('/') + 1))
              .join(', ')}${own.length > NAMED ? ` and ${own.length - NAMED} more` : ''}`}
          />,
        ],
  )
}

function FileLine({
  file,
  choice,
}: {
  readonly file: PreviewedFile
  readonly choice: ConflictChoice | undefined
}) {
  return (
    <Line
      icon={ICONS[file.action]}
      name={file.shown}
      action={ACTIONS[file.action]}
      danger={file.action === 'deleted'}
      decides={file.action === 'choose'}
      reason={file.reason}
    >
      {file.conflict !== null && (
        <Segmented
          label={`Later changes of ${file.shown}`}
          value={choice ?? file.conflict.choice}
          options={choicesOf(file.conflict)}
          onChange={(next) => chooseFor(file.path, next)}
        />
      )}
    </Line>
  )
}

/** The choices, in the words of who changed what later: "Keep my line 37". */
function choicesOf({ with: authors, lines }: NonNullable<PreviewedFile['conflict']>) {
  const isUsers = authors.length === 1 && authors[0] === 'user'
  const [only] = lines
  const isOne = lines.length === 1 && only !== undefined && only.from === only.to
  const what = `${isUsers ? 'my' : 'later'} ${isOne ? `line ${only.from}` : 'lines'}`
  return [
    { value: 'keep', label: `Keep ${what}` },
    { value: 'leave', label: 'Leave the file' },
    { value: 'old', label: `Lose ${what}` },
  ] as const
}

/** What the undo does not touch. */
function Stays({ preview: { scope, redoOf } }: { readonly preview: UndoPreview }) {
  const list = useChanges((state) => state.list)
  if (list === null || redoOf !== null) return null
  const parts = [list.user.length > 0 ? `your ${count(list.user.length, 'file')}` : '']
  if (scope.kind === 'agent')
    for (const agent of list.agents)
      if (agent.agentId !== scope.agentId) parts.push(`what ${quotedName(agent)} changed`)
  if (scope.kind === 'message') parts.push('everything from before the message')
  parts.push('what is committed')
  const text = parts.filter((part) => part !== '').join(', ')
  return (
    <div className="mt-1 border-line border-t pt-1">
      <Line icon={Circle} name="Stays as it is" action="" reason={text} />
    </div>
  )
}

interface LineProps {
  readonly icon: LucideIcon
  readonly name: string
  readonly action: string
  readonly danger?: boolean
  readonly decides?: boolean
  readonly reason: string
  readonly children?: ReactNode
}

function Line({ icon: Icon, name, action, danger = false, decides = false, reason, children }: LineProps) {
  return (
    <div className="grid grid-cols-[14px_minmax(0,2fr)_7rem_minmax(0,3fr)] items-baseline gap-2 py-0.5 text-sm">
      <Icon
        size={13}
        aria-hidden="true"
        className={classNames('translate-y-0.5', decides ? 'fill-needs-you text-needs-you' : 'text-fg-2')}
      />
      <span className="truncate font-mono text-fg-0 text-xs" title={name}>
        {name}
      </span>
      <span
        className={classNames(
          'font-semibold',
          danger ? 'text-bad' : decides ? 'text-needs-you' : 'text-fg-0',
        )}
      >
        {action}
      </span>
      <span className="flex min-w-0 flex-wrap items-center gap-2 text-fg-2">
        <span className="min-w-0 wrap-anywhere">{reason}</span>
        {children}
      </span>
    </div>
  )
}

function amountOf({ files }: UndoPreview): number {
  return files.filter(({ action }) => action !== 'unchanged' && action !== 'impossible').length
}

function applyText(preview: UndoPreview, isBack: boolean): string {
  const amount = (...actions: PreviewedFile['action'][]) =>
    preview.files.filter(({ action }) => actions.includes(action)).length
  const parts = [
    ['put back', amount('restored', 'recreated')],
    ['merge', amount('merged')],
    ['delete', amount('deleted')],
    ['decide', amount('choose')],
  ] as const
  const texts = parts.filter(([, files]) => files > 0).map(([verb, files]) => `${verb} ${files}`)
  if (isBack && preview.stops.length > 0) texts.push(`stop ${count(preview.stops.length, 'agent')}`)
  const verb = preview.redoOf !== null ? 'Redo' : isBack ? 'Go back' : 'Undo'
  return texts.length === 0 ? verb : `${verb}: ${texts.join(', ')}`
}

/** The conversations in the trash: restore them one by one, or delete all of them for good. */
import { useEffect, useState } from 'react'
import type { TrashedConversation } from '../../../shared/conversations/contract.ts'
import { command } from '../../bridge.ts'
import { restoreConversation } from '../../stores/listed-conversations.ts'
import { showNotice } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useNow } from '../../ui/machine.ts'
import { count, formatAgo, formatSize } from '../../ui/text/format.ts'

interface TrashDialogProps {
  readonly open: boolean
  readonly onClose: () => void
}

export function ConversationTrashDialog({ open, onClose }: TrashDialogProps) {
  const { all, failure, take, reload } = useTrash(open)
  const [asking, setAsking] = useState(false)
  const [busy, setBusy] = useState(false)
  const close = () => {
    setAsking(false)
    onClose()
  }
  const restore = async ({ id, title }: TrashedConversation, show: boolean) => {
    if (!(await restoreConversation(id, show))) return
    take(id)
    if (show) close()
    else showNotice({ level: 'info', text: `“${title}” is back.` })
  }
  const empty = async () => {
    setBusy(true)
    const answer = await command('trash.delete', { conversationIds: (all ?? []).map(({ id }) => id) })
    setBusy(false)
    setAsking(false)
    await reload()
    showNotice(
      answer.ok
        ? { level: 'info', text: `Deleted ${amountOf(all ?? [])}.` }
        : { level: 'error', text: answer.failure.message },
    )
  }
  const isEmpty = all === null || all.length === 0
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Deleted conversations"
      description={
        failure ??
        (all === null
          ? 'Loading…'
          : asking
            ? `Delete ${amountOf(all)} for good? This can't be undone. Worktrees of their agents stay: Review lists them.`
            : isEmpty
              ? 'The trash is empty.'
              : `${amountOf(all)}. Restored conversations keep their agents and messages.`)
      }
      width={640}
      actions={
        asking ? (
          <>
            <Button autoFocus onClick={() => setAsking(false)}>
              Cancel
            </Button>
            <Button variant="danger" disabled={busy} focusableWhenDisabled onClick={() => void empty()}>
              Delete for good
            </Button>
          </>
        ) : (
          <>
            <Button variant="danger" disabled={isEmpty} onClick={() => setAsking(true)}>
              Empty trash…
            </Button>
            <Button variant="primary" onClick={close}>
              Close
            </Button>
          </>
        )
      }
    >
      {!asking && <Rows rows={(all ?? []).filter(({ scratch }) => !scratch)} onRestore={restore} />}
    </Dialog>
  )
}

function useTrash(open: boolean) {
  const [all, setAll] = useState<readonly TrashedConversation[] | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const reload = async () => {
    const answer = await command('trash.list', {})
    setFailure(answer.ok ? null : answer.failure.message)
    setAll(answer.ok ? answer.value : [])
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads each time the dialog opens
  useEffect(() => {
    if (open) void reload()
  }, [open])
  const take = (id: string) => setAll((now) => now?.filter((one) => one.id !== id) ?? null)
  return { all, failure, reload, take }
}

/** "12 conversations (4.2 MB)"; conversations that tried a definition are in no list, but take room. */
function amountOf(all: readonly TrashedConversation[]): string {
  const trials = all.filter(({ scratch }) => scratch).length
  const size = formatSize(all.reduce((sum, one) => sum + one.size, 0))
  const conversations = count(all.length - trials, 'conversation')
  if (trials === 0) return `${conversations} (${size})`
  return `${conversations} and ${count(trials, 'trial of an agent', 'trials of agents')} (${size})`
}

/** Rows rendered at first, and with each press of "Show more". */
const PART = 100

interface RowsProps {
  readonly rows: readonly TrashedConversation[]
  readonly onRestore: (conversation: TrashedConversation, show: boolean) => Promise<void>
}

function Rows({ rows, onRestore }: RowsProps) {
  const here = useSession((state) => state.folder?.path)
  const now = useNow(false)
  const [limit, setLimit] = useState(PART)
  if (rows.length === 0) return null
  return (
    <ul aria-label="Deleted conversations" className="flex flex-col">
      {rows.slice(0, limit).map((row) => (
        <li
          key={row.id}
          className="grid grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-3 border-line border-t py-1.5 text-sm first:border-t-0"
        >
          <span className="min-w-0">
            <span className="block truncate text-fg-0">{nameOf(row)}</span>
            {row.folder !== here && <span className="block truncate text-fg-2 text-xs">{row.folder}</span>}
          </span>
          <span className="font-mono text-fg-2 text-xs">
            {formatAgo(row.trashedAt, Math.max(now, row.trashedAt))} · {formatSize(row.size)}
          </span>
          <span className="flex gap-1.5">
            <Button aria-label={`Restore ${nameOf(row)}`} onClick={() => void onRestore(row, false)}>
              Restore
            </Button>
            <Button
              variant="quiet"
              aria-label={`Restore and open ${nameOf(row)}`}
              onClick={() => void onRestore(row, true)}
            >
              Open
            </Button>
          </span>
        </li>
      ))}
      {rows.length > limit && (
        <li className="border-line border-t py-1.5">
          <Button variant="quiet" onClick={() => setLimit(limit + PART)}>
            Show more
          </Button>
        </li>
      )}
    </ul>
  )
}

function nameOf({ title }: TrashedConversation): string {
  return title === '' ? 'Conversation without a readable title' : title
}

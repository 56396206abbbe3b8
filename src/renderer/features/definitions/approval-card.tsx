/** A project's definition that waits for the user: why, what changed, and the button that lets it be used. */
import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { PendingDefinition } from '../../../shared/agent-definition/agent-catalog.ts'
import { command } from '../../bridge.ts'
import { showFailure, showNotice } from '../../stores/overlay-store.ts'
import { loadDefinitions } from '../../stores/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { DiffView } from '../../ui/diff-view.tsx'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { type OpenDefinition, useEditor } from './editor-store.ts'
import { loadCatalog } from './load-catalog.ts'

export function ApprovalCard({ opened }: { readonly opened: OpenDefinition }) {
  const { id, version, entry } = opened
  const folder = useEditor((state) => state.folder)
  const [pending, setPending] = useState<PendingDefinition | null>(null)
  const [busy, setBusy] = useState(false)
  const card = useRef<HTMLElement>(null)
  // A new version of the file is another question.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as the line above says
  useEffect(() => {
    let isOver = false
    if (folder !== null)
      void command('definition.pending', { folder, id }).then((answer) => {
        if (!isOver) setPending(answer.ok ? answer.value : null)
      })
    return () => {
      isOver = true
    }
  }, [folder, id, version])
  const patch = useMemo(() => (pending === null ? '' : patchOf(pending)), [pending])
  if (folder === null || pending === null) return null
  const isNew = pending.former === null
  const hasMoreRights = pending.gained.length > 0
  const approve = async () => {
    setBusy(true)
    const answer = await command('definition.approve', { folder, id, version: pending.version })
    setBusy(false)
    if (answer.ok) {
      // The button goes away with the card.
      card.current?.parentElement
        ?.querySelector<HTMLElement>('[data-editor-pane] input, .cm-content')
        ?.focus()
      showNotice({ level: 'info', text: `${entry.name} is approved and can be used.` })
    } else showFailure(answer.failure)
    await Promise.all([loadCatalog(), loadDefinitions(folder)])
  }
  return (
    <section
      ref={card}
      aria-label={`Approval of ${entry.name}`}
      className="grid max-h-[55%] min-h-0 shrink-0 grid-rows-[auto_minmax(0,1fr)_auto] gap-2.5 border-line border-b bg-needs-you/6 p-3 text-sm"
    >
      <div>
        <h3 className="font-semibold text-fg-0 text-md">
          {isNew
            ? 'This agent is new in the project'
            : hasMoreRights
              ? 'This agent has more rights than you approved'
              : 'This agent changed since you last saw it'}
        </h3>
        <p className="text-fg-1">
          {isNew
            ? 'It came after you trusted the folder, so it is not used until you approve it.'
            : hasMoreRights
              ? 'Its file changed after you approved it, so it is not used until you approve it again.'
              : 'It is used with its former text until you approve the change.'}
        </p>
        {pending.gained.length > 0 && (
          <ul aria-label="What it gains" className="mt-1.5 list-disc pl-4.5 text-fg-0">
            {pending.gained.map((phrase) => (
              <li key={phrase} className="wrap-anywhere">
                <VisibleText>{phrase}</VisibleText>
              </li>
            ))}
          </ul>
        )}
      </div>
      <DiffView patch={patch} label={isNew ? `Text of ${entry.name}` : `Changes of ${entry.name}`} />
      <div className="flex flex-wrap items-center gap-2">
        <Button disabled={busy} focusableWhenDisabled onClick={() => void approve()}>
          Approve this agent
        </Button>
        <p className="text-fg-2">
          {isNew || hasMoreRights ? 'Without an answer it stays off.' : 'It has no more rights.'} You can also
          edit or delete it.
        </p>
      </div>
    </section>
  )
}

/** A new definition is shown as if all its lines were added. */
function patchOf({ former, text }: PendingDefinition): string {
  return formatPatch(structuredPatch('', '', former ?? '', text, '', '', { context: 4 }), OMIT_HEADERS)
}

/** All pending permission requests and forms, answered one after another from the keyboard. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { formLine, type PendingForm } from '../../../shared/form.ts'
import { makeVisible } from '../../../shared/visible-text.ts'
import { agentName, askedText, displayName } from '../../stores/agent-text.ts'
import { requestPlace } from '../../stores/backing-text.ts'
import { type Need, needId, useConversation, useNeeds } from '../../stores/conversation-store.ts'
import { useNamesake } from '../../stores/namesakes.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { AgentTitle } from '../../ui/agent-title.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Dot } from '../../ui/dot.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { isEditable } from '../../ui/platform.ts'
import { answerRequest } from './answer-request.ts'
import { PermissionRequestCard } from './permission-request-card.tsx'

export interface RequestQueueProps {
  /** Renders a form of an agent. `position`: "1 of 3". */
  readonly renderForm: (agentId: string, form: PendingForm, position: string) => ReactNode
  readonly open: boolean
  readonly onClose: () => void
}

/** Closes after the last request is answered. */
export function RequestQueue({ open, onClose, renderForm }: RequestQueueProps) {
  const needs = useNeeds()
  const had = useRef(0)
  useEffect(() => {
    if (open && needs.length === 0 && had.current > 0) onClose()
    had.current = open ? needs.length : 0
  }, [open, needs.length, onClose])
  return (
    <Dialog
      open={open}
      onClose={onClose}
      width={760}
      title={needs.length === 1 ? '1 pending request' : `${needs.length} pending requests`}
      description={
        needs.length === 0 ? 'Permission requests and questions from agents are listed here.' : undefined
      }
    >
      {needs.length > 0 && <Requests needs={needs} renderForm={renderForm} />}
    </Dialog>
  )
}

function Requests({
  needs,
  renderForm,
}: Pick<RequestQueueProps, 'renderForm'> & { readonly needs: readonly Need[] }) {
  const readOnly = useConversation((state) => state.readOnly)
  const [selected, setSelected] = useState(0)
  // An answered request leaves the list, and the next one takes its index.
  const index = Math.min(selected, needs.length - 1)
  const need = needs[index]
  const agent = useConversation((state) => (need === undefined ? undefined : state.agents.get(need.agentId)))
  const position = `${index + 1} of ${needs.length}`
  const move = (by: 1 | -1) => setSelected(Math.max(0, Math.min(needs.length - 1, index + by)))
  const onKeyDown = (event: KeyboardEvent) => {
    if (isEditable(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'j' || event.key === 'ArrowDown') move(1)
    else if (event.key === 'k' || event.key === 'ArrowUp') move(-1)
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys work wherever the focus is inside the dialog
    <div
      data-request-scope=""
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="grid max-h-[calc(72vh-7rem)] grid-cols-[13.75rem_minmax(0,1fr)] grid-rows-[minmax(0,1fr)] gap-3 outline-none"
    >
      <ul className="flex min-h-0 flex-col gap-px overflow-y-auto" aria-label="Requests">
        {needs.map((other, at) => (
          <RequestItem
            key={needId(other)}
            need={other}
            current={at === index}
            onSelect={() => setSelected(at)}
          />
        ))}
      </ul>
      <div className="flex max-h-full min-h-0 min-w-0 flex-col self-start">
        {need?.form !== undefined && renderForm(need.agentId, need.form, position)}
        {need?.request !== undefined && agent !== undefined && (
          <PermissionRequestCard
            key={need.request.requestId}
            agentName={displayName(agent)}
            place={requestPlace(agent)}
            request={need.request}
            answerable={!readOnly}
            position={position}
            onAnswer={(decision, feedback) =>
              answerRequest({
                agentId: need.agentId,
                requestId: need.request.requestId,
                decision,
                feedback,
              })
            }
          />
        )}
        <p className="mt-2 flex shrink-0 items-center gap-1.5 text-fg-2 text-sm">
          <Kbd keys="J" /> <Kbd keys="K" /> next, previous
        </p>
      </div>
    </div>
  )
}

interface RequestItemProps {
  readonly need: Need
  readonly current: boolean
  readonly onSelect: () => void
}

function RequestItem({ need, current, onSelect }: RequestItemProps) {
  const agent = useConversation((state) => state.agents.get(need.agentId))
  const namesake = useNamesake(need.agentId)
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (current) item.current?.scrollIntoView({ block: 'nearest' })
  }, [current])
  return (
    <li ref={item} style={agentStyle(agent?.definition.color ?? '')}>
      <button
        type="button"
        aria-current={current}
        onClick={onSelect}
        className={classNames(
          'grid w-full grid-cols-[12px_minmax(0,1fr)] items-center gap-x-2 rounded-sm px-2 py-1 text-left text-sm',
          current ? 'bg-bg-3' : 'hover:bg-bg-2',
        )}
      >
        <Dot status="needs-you" className="justify-self-center" />
        <span className="flex min-w-0 text-fg-0">
          <AgentTitle
            name={agent === undefined ? '' : need.form ? agentName(agent) : displayName(agent)}
            task={namesake ? (agent?.task ?? null) : null}
          />
        </span>
        <span className="col-start-2 truncate font-mono text-fg-2 text-xs">
          {makeVisible(need.request ? askedText(need.request.subject) : formLine(need.form.form))}
        </span>
      </button>
    </li>
  )
}

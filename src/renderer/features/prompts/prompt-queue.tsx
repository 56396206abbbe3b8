/** All questions that wait for the person, to be answered one after the other without the mouse. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { makeVisible } from '../../../shared/visible-text.ts'
import { askedWords } from '../../stores/agent-words.ts'
import { type Need, useConversation, useNeeds } from '../../stores/conversation-store.ts'
import { useNamesake } from '../../stores/namesakes.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { AgentTitle } from '../../ui/agent-title.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Dot } from '../../ui/dot.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { answerPrompt } from './answer-prompt.ts'
import { PermissionPrompt } from './permission-prompt.tsx'
import { isEditable } from './use-prompt-keys.ts'

export interface PromptQueueProps {
  readonly open: boolean
  readonly onClose: () => void
}

/** Closes by itself once the last question is answered. */
export function PromptQueue({ open, onClose }: PromptQueueProps) {
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
      title={needs.length === 1 ? '1 question waits for you' : `${needs.length} questions wait for you`}
      description={
        needs.length === 0
          ? 'When an agent needs your permission for something, its question is listed here.'
          : undefined
      }
    >
      {needs.length > 0 && <Questions needs={needs} />}
    </Dialog>
  )
}

function Questions({ needs }: { readonly needs: readonly Need[] }) {
  const readOnly = useConversation((state) => state.readOnly)
  const [chosen, setChosen] = useState(0)
  // What was answered leaves the list: the next one moves up to its place.
  const index = Math.min(chosen, needs.length - 1)
  const need = needs[index]
  const agent = useConversation((state) => (need === undefined ? undefined : state.agents.get(need.agentId)))
  const move = (by: 1 | -1) => setChosen(Math.max(0, Math.min(needs.length - 1, index + by)))
  const onKeyDown = (event: KeyboardEvent) => {
    if (isEditable(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'j' || event.key === 'ArrowDown') move(1)
    else if (event.key === 'k' || event.key === 'ArrowUp') move(-1)
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys work wherever the focus is inside
    <div
      data-prompt-scope=""
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="grid min-h-0 outline-none grid-cols-[13.75rem_minmax(0,1fr)] gap-3"
    >
      <ul className="flex min-h-0 flex-col gap-px overflow-y-auto" aria-label="Questions">
        {needs.map((other, at) => (
          <QuestionItem
            key={other.prompt.promptId}
            need={other}
            current={at === index}
            onChoose={() => setChosen(at)}
          />
        ))}
      </ul>
      <div className="sticky top-0 min-w-0 self-start">
        {need !== undefined && agent !== undefined && (
          <PermissionPrompt
            key={need.prompt.promptId}
            agentName={agent.definition.name}
            prompt={need.prompt}
            answerable={!readOnly}
            more={`${index + 1} of ${needs.length}`}
            onAnswer={(decision, words) => answerPrompt(need.agentId, need.prompt.promptId, decision, words)}
          />
        )}
        <p className="mt-2 flex items-center gap-1.5 text-fg-2 text-sm">
          <Kbd keys="J" /> <Kbd keys="K" /> next and previous
        </p>
      </div>
    </div>
  )
}

interface QuestionItemProps {
  readonly need: Need
  readonly current: boolean
  readonly onChoose: () => void
}

function QuestionItem({ need, current, onChoose }: QuestionItemProps) {
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
        onClick={onChoose}
        className={classNames(
          'grid w-full grid-cols-[12px_minmax(0,1fr)] items-center gap-x-2 rounded-sm px-2 py-1 text-left text-sm',
          current ? 'bg-bg-3' : 'hover:bg-bg-2',
        )}
      >
        <Dot status="needs-you" className="justify-self-center" />
        <span className="flex min-w-0 text-fg-0">
          <AgentTitle name={agent?.definition.name ?? ''} task={namesake ? (agent?.task ?? null) : null} />
        </span>
        <span className="col-start-2 truncate font-mono text-fg-2 text-xs">
          {makeVisible(askedWords(need.prompt.subject))}
        </span>
      </button>
    </li>
  )
}

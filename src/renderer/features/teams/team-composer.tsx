/** Writes to a member, to the leader or to the whole team, and says before what will happen to the message. */
import { ChevronDown, Send } from 'lucide-react'
import { type KeyboardEvent, type Ref, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { type MessageThread, threadKeyOf, USER } from '../../../shared/state/message-log.ts'
import type { Team } from '../../../shared/teams/team-schema.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { changeDraft, draftOf, moveDraft, useDraft } from '../../stores/draft-store.ts'
import { showFailure } from '../../stores/overlay-store.ts'
import { useReadOnlyReason } from '../../stores/replay-store.ts'
import { mayResume } from '../../stores/resume-question.ts'
import { sendInTeam } from '../../stores/teams-and-workers.ts'
import { Button } from '../../ui/button.tsx'
import { ChipButton } from '../../ui/chip.tsx'
import { Menu, MenuChoice } from '../../ui/menu.tsx'
import { count } from '../../ui/text/format.ts'
import { fateOf, forecast } from './board.ts'
import { partyName, selectThread, usePeople, useTeams, writeInTeam } from './teams-store.ts'

interface TeamComposerProps {
  /** Null: all agents of the conversation; there is no message to all. */
  readonly team: Team | null
  readonly thread: MessageThread | null
  /** Returns the focus to the list of agents, on Escape. */
  readonly onLeave: () => void
  readonly ref: Ref<HTMLTextAreaElement>
}

const ALL = '*'

export function TeamComposer({ team, thread, onLeave, ref }: TeamComposerProps) {
  const conversationId = useConversation((state) => state.conversationId)
  const people = usePeople(team)
  const chosen = useTeams((state) => state.to)
  const [sending, setSending] = useState(false)
  const to = receiverOf({ chosen, thread, people, hasTeam: team !== null })
  const keyOf = (receiver: string | null) =>
    `team:${conversationId ?? ''}:${receiver ?? `${ALL}${team?.id ?? ''}`}`
  const key = keyOf(to)
  const { text } = useDraft(key)
  const receivers = team !== null && to === null ? people : to === null ? [] : [to]
  const names = useConversation(
    useShallow(({ agents }) => Object.fromEntries(people.map((id) => [id, partyName(id, agents)]))),
  )
  const said = useForecast(receivers)
  const title = to === null ? `All of ${team?.name ?? ''} · ${people.length}` : (names[to] ?? to)
  const send = async () => {
    const message = text.trim()
    if (message === '' || sending || conversationId === null) return
    setSending(true)
    const agent = to === null ? undefined : useConversation.getState().agents.get(to)
    const answer = (await mayResume(agent))
      ? await sendInTeam({ conversationId, team, to, text: message })
      : null
    setSending(false)
    if (answer === null) return
    if (!answer.ok) return showFailure(answer.failure)
    // What was typed meanwhile stays.
    if (draftOf(key).text === text) changeDraft(key, { text: '' })
    selectThread(threadKeyOf(USER, to))
    writeInTeam(to)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && !event.shiftKey) void send()
    else if (event.key === 'Escape') onLeave()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="shrink-0 border-line border-t bg-bg-1 px-3 py-2">
      <div className="flex items-start gap-2">
        <Menu
          side="top"
          trigger={
            <ChipButton aria-label={`To: ${title}`} className="mt-0.5 max-w-44">
              <span className="truncate">{title}</span> <ChevronDown size={12} aria-hidden="true" />
            </ChipButton>
          }
        >
          <MenuChoice
            value={to ?? ALL}
            onChange={(next) => {
              const receiver = next === ALL ? null : next
              // Readdressed by hand, the text comes along; shown elsewhere, it stays with its receiver.
              if (receiver !== to) moveDraft(key, keyOf(receiver))
              writeInTeam(receiver)
            }}
            options={[
              ...(team === null
                ? []
                : [{ value: ALL, label: `All of ${team.name}`, hint: count(people.length, 'agent') }]),
              ...people.map((id) => ({
                value: id,
                label: names[id] ?? id,
                ...(id === team?.leaderId ? { hint: 'leader' } : {}),
              })),
            ]}
          />
        </Menu>
        <textarea
          ref={ref}
          dir="auto"
          rows={Math.min(6, Math.max(1, text.split('\n').length))}
          aria-label={`Message to ${title}`}
          aria-describedby="team-forecast"
          aria-busy={sending}
          placeholder={to === null ? 'Message to all…' : `Message to ${title}…`}
          value={text}
          onChange={(event) => changeDraft(key, { text: event.target.value })}
          onKeyDown={onKeyDown}
          className="min-h-[26px] min-w-0 flex-1 resize-none rounded-md border border-line-strong bg-bg-0 px-2.5 py-[3px] text-fg-0 text-md outline-none focus:border-accent"
        />
        <Button
          variant="primary"
          className="mt-px"
          disabled={text.trim() === '' || sending || receivers.length === 0}
          onClick={() => void send()}
        >
          <Send size={12} aria-hidden="true" /> Send
        </Button>
      </div>
      <p id="team-forecast" role="status" className="mt-1 text-fg-2 text-xs">
        {said}
      </p>
    </div>
  )
}

interface ReceiverChoice {
  readonly chosen: string | null | undefined
  readonly thread: MessageThread | null
  readonly people: readonly string[]
  readonly hasTeam: boolean
}

/** The chosen receiver, else the other party of the thread, else all of the team, else the first agent. Null: all. */
function receiverOf({ chosen, thread, people, hasTeam }: ReceiverChoice): string | null {
  const fallback = hasTeam ? null : (people[0] ?? null)
  if (chosen === null && hasTeam) return null
  if (chosen != null && people.includes(chosen)) return chosen
  if (thread === null || thread.toAll) return fallback
  const other = thread.parties.findLast((party) => party !== USER && people.includes(party))
  return other ?? fallback
}

function useForecast(receivers: readonly string[]): string {
  const reason = useReadOnlyReason()
  return useConversation(({ agents, readOnly }) => {
    if (readOnly) return reason
    return forecast(
      receivers.flatMap((id) => {
        const agent = agents.get(id)
        return agent === undefined ? [] : [{ name: partyName(id, agents), fate: fateOf(agent) }]
      }),
    )
  })
}

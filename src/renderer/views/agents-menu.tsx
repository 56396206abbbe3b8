/** "1 working · 2 need you" in the title bar: a menu of the agents at work, by state. An entry shows the agent. */
import { useState } from 'react'
import { type AgentState, isLive } from '../../shared/state/agent-state.ts'
import { type LiveCounts, useLiveCounts } from '../stores/agent-actions.ts'
import { agentTitle, useConversation } from '../stores/conversation-store.ts'
import { setView } from '../stores/session-store.ts'
import { revealAgent } from '../stores/stage-store.ts'
import { agentStyle } from '../ui/agent-style.ts'
import { ChipButton } from '../ui/chip.tsx'
import { Dot } from '../ui/dot.tsx'
import { Menu, MenuHeading, MenuItem, MenuNote } from '../ui/menu.tsx'
import { agentText, markOf } from '../ui/text/agent-text.ts'

/** Nothing while no agent is at work. */
export function AgentsMenu() {
  const counts = useLiveCounts()
  const [isOpen, setOpen] = useState(false)
  const text = countsText(counts)
  // An open menu stays until the user closes it.
  if (text === '' && !isOpen) return null
  return (
    <Menu
      align="end"
      open={isOpen}
      onOpenChange={setOpen}
      trigger={
        <ChipButton mono aria-label={`Agents at work: ${text === '' ? 'none' : text}`}>
          {text === '' ? 'none at work' : text}
        </ChipButton>
      }
    >
      {isOpen && <Groups />}
    </Menu>
  )
}

function countsText({ working, asking, queued, paused, pausing }: LiveCounts): string {
  const fullyPaused = paused - pausing
  return [
    working > 0 && `${working} working`,
    asking > 0 && `${asking} ${asking === 1 ? 'needs' : 'need'} you`,
    queued > 0 && `${queued} queued`,
    pausing > 0 && `${pausing} pausing`,
    fullyPaused > 0 && `${fullyPaused} paused`,
  ]
    .filter(Boolean)
    .join(' · ')
}

const GROUPS = ['Needs you', 'Working', 'Paused', 'Queued'] as const

/** Entries of a group; the tree has all agents. */
const MOST = 10

/** The agents as they are when the menu opens: entries do not move below the pointer. */
function Groups() {
  const [agents] = useState(() => useConversation.getState().agents)
  const live = [...agents.values()].filter(isLive)
  if (live.length === 0) return <MenuNote>No agent is at work.</MenuNote>
  return GROUPS.map((group) => {
    const members = live.filter((agent) => groupOf(agent) === group)
    if (members.length === 0) return null
    return (
      <div key={group}>
        <MenuHeading>
          {group} · {members.length}
        </MenuHeading>
        {members.slice(0, MOST).map((agent) => (
          <MenuItem key={agent.id} onSelect={() => show(agent)}>
            <span style={agentStyle(agent.definition.color)} className="flex min-w-0 items-center gap-2">
              <Dot status={markOf(agent)} />
              <span dir="auto" className="min-w-0 truncate">
                {agentTitle(agent, agents)}
              </span>
              <span className="min-w-0 shrink-[3] truncate text-fg-2 text-xs">{agentText(agent)}</span>
            </span>
          </MenuItem>
        ))}
        {members.length > MOST && <MenuNote>{members.length - MOST} more in the tree</MenuNote>}
      </div>
    )
  })
}

function groupOf(agent: AgentState): (typeof GROUPS)[number] {
  const mark = markOf(agent)
  if (mark === 'needs-you') return 'Needs you'
  if (mark === 'paused' || mark === 'pausing') return 'Paused'
  return mark === 'queued' ? 'Queued' : 'Working'
}

function show({ id }: AgentState): void {
  setView('stage')
  revealAgent(id)
}

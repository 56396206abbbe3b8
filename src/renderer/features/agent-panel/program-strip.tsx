/**
 * The line below the header of an agent that an external agent carries out: the program with its version, and how it
 * asks. The program's name opens what it is and what it can't do.
 */

import { ChevronDown, Plug, SlidersHorizontal } from 'lucide-react'
import { Fragment } from 'react'
import { create } from 'zustand'
import type { ExternalAgent, ExternalAgentOption } from '../../../shared/external-agents/external-agent.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import { command } from '../../bridge.ts'
import { useAgent, useAgentMention, useAgentTitle, useConversation } from '../../stores/conversation-store.ts'
import { showFailure } from '../../stores/overlay-store.ts'
import { IconButton } from '../../ui/button.tsx'
import { ChipButton } from '../../ui/chip.tsx'
import { Menu, MenuChoice, MenuHeading } from '../../ui/menu.tsx'
import { Popover } from '../../ui/popover.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import {
  chosenValueOf,
  externalAgentOf,
  limitsOfExternalAgent,
  programLine,
} from '../../ui/text/external-agent-text.ts'

export function ProgramStrip({ agent }: { readonly agent: AgentState }) {
  const program = useConversation(({ agents }) => externalAgentOf(agent, agents))
  const parent = useAgentMention(agent.parentId)
  const title = useAgentTitle(agent.id) ?? ''
  const line = makeVisible(programLine(agent, program))
  const asks =
    agent.child !== null
      ? { text: `subagent of ${parent ?? 'a program'}`, more: '' }
      : asksText(agent, program)
  return (
    <div className="flex h-6 shrink-0 items-center gap-2 overflow-hidden border-line border-b bg-bg-1 px-2.5 text-fg-2 text-xs">
      <Popover
        side="bottom"
        label={`About ${title}`}
        trigger={
          <button
            type="button"
            aria-label={`${line}: about this program`}
            title={line}
            className="-ml-1 flex min-w-0 shrink items-center gap-1.5 rounded-xs px-1 font-mono hover:bg-bg-3 hover:text-fg-0 focus-visible:-outline-offset-2 data-[popup-open]:bg-bg-3"
          >
            <Plug size={11} strokeWidth={1.75} aria-hidden="true" className="shrink-0" />
            <span className="truncate">{line}</span>
          </button>
        }
      >
        <ProgramFacts agentId={agent.id} />
      </Popover>
      <span className="flex-1" />
      <span dir="auto" title={asks.more} className="min-w-0 shrink-[3] truncate text-fg-1">
        {makeVisible(asks.text)}
      </span>
    </div>
  )
}

/** How the program asks: its mode, explained as it explains it. */
function asksText(agent: AgentState, program: ExternalAgent | null): { text: string; more: string } {
  if (program === null) return { text: isLive(agent) ? 'connecting…' : 'not connected', more: '' }
  if (program.login !== null) return { text: 'needs a login', more: '' }
  const mode = chosenValueOf(program, 'mode')
  if (mode === null) return { text: '', more: '' }
  const { name, description } = mode
  return description === ''
    ? { text: name, more: '' }
    : { text: description, more: `Mode: ${name}. ${description}` }
}

/** What is known of the program behind an agent: what it is, its choices, and what Troupe can't do with it. */
function ProgramFacts({ agentId }: { readonly agentId: string }) {
  const agent = useAgent(agentId)
  const program = useConversation(({ agents }) =>
    agent === undefined ? null : externalAgentOf(agent, agents),
  )
  const parent = useAgentMention(agent?.parentId ?? null)
  const name = useAgentMention(agentId) ?? ''
  if (agent === undefined) return null
  const facts = program === null ? [] : factsOf(program)
  const limits = limitsOfExternalAgent(agent, { program, name, parent })
  return (
    <section className="flex w-80 max-w-[90vw] flex-col gap-2 p-3 text-sm" data-selectable="">
      <div>
        <p className="font-semibold text-fg-0 text-md">
          {program === null ? agent.definition.name : makeVisible(program.title)}
        </p>
        <p className="break-words font-mono text-fg-2 text-xs">{makeVisible(programLine(agent, program))}</p>
      </div>
      {facts.length > 0 && (
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1">
          {facts.map(({ name, value }) => (
            <div key={name} className="contents">
              <dt className="text-fg-2">{makeVisible(name)}</dt>
              <dd className="break-words text-fg-0">{makeVisible(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      <ul className="flex list-disc flex-col gap-1 border-line border-t pt-2 pl-4 text-fg-1 marker:text-fg-3">
        {limits.map((limit) => (
          <li key={limit}>{limit}</li>
        ))}
      </ul>
    </section>
  )
}

/** Its own choices: model, mode and others. */
function factsOf({ options }: ExternalAgent): readonly { readonly name: string; readonly value: string }[] {
  return options.map(({ name, current, values }) => ({
    name,
    value: values.find(({ id }) => id === current)?.name ?? current,
  }))
}

// The menus for the options of a program's own session: its model, its mode and others.

/** Options with a menu of their own; the others share one. */
const OWN_MENU = ['model', 'mode'] as const

/** In a narrow container one menu has all options. Renders nothing for a program without options. */
export function ProgramOptions({ agent }: { readonly agent: AgentState }) {
  const options = (agent.program?.options ?? []).filter(({ values }) => values.length > 0)
  if (options.length === 0) return null
  const own = OWN_MENU.flatMap((category) => options.filter((one) => one.category === category).slice(0, 1))
  const others = options.filter((option) => !own.includes(option))
  return (
    <span className="flex min-w-0 shrink-0 items-center gap-1.5">
      {own.map((option) => (
        <OptionMenu key={option.id} agentId={agent.id} option={option} />
      ))}
      {others.length > 0 && (
        <span className="@max-[22rem]:hidden">
          <AllOptions agentId={agent.id} options={others} label="More options" />
        </span>
      )}
      <span className="@min-[22rem]:hidden">
        <AllOptions agentId={agent.id} options={options} label="Options" />
      </span>
    </span>
  )
}

function OptionMenu({ agentId, option }: { readonly agentId: string; readonly option: ExternalAgentOption }) {
  const current = nameOf(option)
  const busy = useProgramActions((state) => state.busy.has(`${agentId} ${option.id}`))
  return (
    <Menu
      side="top"
      align="end"
      trigger={
        <ChipButton
          aria-label={`${makeVisible(option.name)}: ${current}`}
          aria-busy={busy}
          title={`${makeVisible(option.name)}: ${current}`}
          className="h-5 max-w-32 @max-[22rem]:hidden text-xs"
        >
          <Plug size={11} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-fg-2" />
          <span className={classNames('truncate', option.category === 'model' && 'font-mono')}>
            {current}
          </span>
          <ChevronDown size={11} aria-hidden="true" className="shrink-0 text-fg-2" />
        </ChipButton>
      }
    >
      <Choice agentId={agentId} option={option} />
    </Menu>
  )
}

interface AllOptionsProps {
  readonly agentId: string
  readonly options: readonly ExternalAgentOption[]
  readonly label: string
}

function AllOptions({ agentId, options, label }: AllOptionsProps) {
  return (
    <Menu side="top" align="end" trigger={<IconButton label={label} icon={SlidersHorizontal} />}>
      {options.map((option) => (
        <Fragment key={option.id}>
          <Choice agentId={agentId} option={option} />
        </Fragment>
      ))}
    </Menu>
  )
}

function Choice({ agentId, option }: { readonly agentId: string; readonly option: ExternalAgentOption }) {
  return (
    <>
      <MenuHeading>{makeVisible(option.name)}</MenuHeading>
      <MenuChoice
        value={option.current}
        options={option.values.map(({ id, name, description }) => ({
          value: id,
          label: makeVisible(name),
          ...(description !== '' && { hint: makeVisible(description) }),
        }))}
        onChange={(value) => {
          if (value !== option.current) void setProgramOption(agentId, option.id, value)
        }}
      />
    </>
  )
}

const nameOf = ({ current, values }: ExternalAgentOption): string =>
  makeVisible(values.find(({ id }) => id === current)?.name ?? current)

/** The actions in progress: a second press does nothing. */
export const useProgramActions = create<{ readonly busy: ReadonlySet<string> }>()(() => ({
  busy: new Set(),
}))

/** Sets an option of the program's session. The agent's state shows the new value when the program confirms it. */
function setProgramOption(agentId: string, optionId: string, value: string): Promise<void> {
  return once(`${agentId} ${optionId}`, async (conversationId) => {
    const answer = await command('agent.setProgramOption', { conversationId, agentId, optionId, value })
    if (!answer.ok) showFailure(answer.failure)
  })
}

/** Logs in with a method of the program. The program then begins by itself. */
export function logIn(agentId: string, methodId: string): Promise<void> {
  return once(loginActionKey(agentId, methodId), async (conversationId) => {
    const answer = await command('agent.login', { conversationId, agentId, methodId })
    if (!answer.ok) showFailure(answer.failure)
  })
}

/** The key of a login among the actions in progress. */
export const loginActionKey = (agentId: string, methodId: string): string => `login ${agentId} ${methodId}`

async function once(key: string, act: (conversationId: string) => Promise<void>): Promise<void> {
  const { conversationId } = useConversation.getState()
  const { busy } = useProgramActions.getState()
  if (conversationId === null || busy.has(key)) return
  useProgramActions.setState({ busy: new Set([...busy, key]) })
  try {
    await act(conversationId)
  } finally {
    const left = new Set(useProgramActions.getState().busy)
    left.delete(key)
    useProgramActions.setState({ busy: left })
  }
}

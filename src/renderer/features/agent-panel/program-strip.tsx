/**
 * The line below the header of an agent that an external agent carries out: the program with its version, and how it
 * asks. The program's name opens what it is and what it can't do.
 */
import { Plug } from 'lucide-react'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import { useAgent, useConversation } from '../../stores/conversation-store.ts'
import { Popover } from '../../ui/popover.tsx'
import { displayName } from '../../ui/text/agent-text.ts'
import {
  type ConnectedProgram,
  chosenOf,
  limitsOfProgram,
  programLine,
  programOf,
} from '../../ui/text/program-text.ts'

export function ProgramStrip({ agent }: { readonly agent: AgentState }) {
  const program = useConversation(({ agents }) => programOf(agent, agents))
  const parent = useConversation(({ agents }) => agents.get(agent.parentId ?? ''))
  const line = makeVisible(programLine(agent, program))
  const asks =
    agent.child !== null
      ? { text: `subagent of ${parent === undefined ? 'a program' : displayName(parent)}`, more: '' }
      : asksText(agent, program)
  return (
    <div className="flex h-6 shrink-0 items-center gap-2 overflow-hidden border-line border-b bg-bg-1 px-2.5 text-fg-2 text-xs">
      <Popover
        side="bottom"
        label={`About ${displayName(agent)}`}
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
function asksText(agent: AgentState, program: ConnectedProgram | null): { text: string; more: string } {
  if (program === null) return { text: isLive(agent) ? 'connecting…' : 'not connected', more: '' }
  if (program.login !== null) return { text: 'needs a login', more: '' }
  const mode = chosenOf(program, 'mode')
  if (mode === null) return { text: '', more: '' }
  const { name, description } = mode
  return description === ''
    ? { text: name, more: '' }
    : { text: description, more: `Mode: ${name}. ${description}` }
}

/** What is known of the program behind an agent: what it is, its choices, and what Troupe can't do with it. */
function ProgramFacts({ agentId }: { readonly agentId: string }) {
  const agent = useAgent(agentId)
  const program = useConversation(({ agents }) => (agent === undefined ? null : programOf(agent, agents)))
  const parent = useConversation(({ agents }) => agents.get(agent?.parentId ?? ''))
  if (agent === undefined) return null
  const facts = program === null ? [] : factsOf(program)
  const limits = limitsOfProgram(agent, { program, parent })
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
function factsOf({
  options,
}: ConnectedProgram): readonly { readonly name: string; readonly value: string }[] {
  return options.map(({ name, current, values }) => ({
    name,
    value: values.find(({ id }) => id === current)?.name ?? current,
  }))
}

/** What is known of the program behind an agent: what it is, its choices, and what Troupe can't do with it. */
import { makeVisible } from '../../../shared/visible-text.ts'
import { useAgent, useConversation } from '../../stores/conversation-store.ts'
import { limitsOfProgram } from '../../stores/program-limits.ts'
import { type ConnectedProgram, programLine, programOf } from '../../stores/program-text.ts'

export function ProgramFacts({ agentId }: { readonly agentId: string }) {
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

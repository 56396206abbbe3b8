/** The section of the side bar with the external agents: whether each is ready, and the way to set one up. */
import { ChevronRight, Plug, Plus } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import type { DefinitionInfo } from '../../../shared/agent-definition/agent-catalog.ts'
import type { ProgramState } from '../../../shared/external-agents/known-program.ts'
import { useExternalAgentDefinitions } from '../../stores/conversation-actions.ts'
import { showOverlay } from '../../stores/overlay-store.ts'
import { setView } from '../../stores/session-store.ts'
import { IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { loadPrograms, programStateText, usePrograms } from './programs-store.ts'

const FOLDED = 'outside-agents-folded'

export function ExternalAgentList() {
  const id = useId()
  const programs = usePrograms((state) => state.programs)
  const failure = usePrograms((state) => state.failure)
  const own = useExternalAgentDefinitions().filter(({ name }) => !programs?.some(({ id }) => id === name))
  const [folded, setFolded] = useState(() => localStorage.getItem(FOLDED) === 'yes')
  useEffect(() => {
    void loadPrograms()
  }, [])
  const fold = () => {
    localStorage.setItem(FOLDED, folded ? 'no' : 'yes')
    setFolded(!folded)
  }
  return (
    <section
      aria-labelledby={id}
      className="flex max-h-[32%] shrink-0 flex-col border-line border-t pt-1 pb-1.5"
    >
      <div className="flex h-7 shrink-0 items-center justify-between pr-2.5 pl-1">
        <h2 id={id} className="side-heading min-w-0">
          <button
            type="button"
            aria-expanded={!folded}
            onClick={fold}
            className="side-heading flex items-center rounded-xs pr-1 hover:text-fg-0"
          >
            <ChevronRight
              size={10}
              strokeWidth={2}
              aria-hidden="true"
              className={classNames('shrink-0', !folded && 'rotate-90')}
            />
            External agents
          </button>
        </h2>
        <IconButton label="Add an external agent" icon={Plus} onClick={() => showOverlay('programs')} />
      </div>
      {!folded && (
        <div className="min-h-0 overflow-y-auto">
          {failure !== null && (
            <p className="px-3.5 py-1 text-bad text-sm" data-selectable="">
              {failure}
            </p>
          )}
          <ul>
            {(programs ?? []).map((program) => (
              <Row key={program.id} program={program} />
            ))}
            {own.map((definition) => (
              <OwnRow key={definition.name} definition={definition} />
            ))}
          </ul>
        </div>
      )}
    </section>
  )
}

/** A program that Troupe does not know, from a definition of the user or the project. */
function OwnRow({ definition: { name, description } }: { readonly definition: DefinitionInfo }) {
  return (
    <li>
      <button
        type="button"
        title={description}
        onClick={() => setView('agents')}
        className="grid w-full grid-cols-[14px_minmax(0,1fr)_auto] items-center gap-2 py-[5px] pr-3.5 pl-3.5 text-left text-sm hover:bg-bg-2 focus-visible:-outline-offset-2"
      >
        <Plug size={12} strokeWidth={1.75} aria-hidden="true" className="text-fg-2" />
        <span className="truncate text-fg-1">{name}</span>
        <span className="font-mono text-fg-2 text-xs">defined</span>
      </button>
    </li>
  )
}

function Row({ program }: { readonly program: ProgramState }) {
  const wantsLogin = usePrograms((state) => state.wantLogin.has(program.id))
  const isHere = program.place !== 'none'
  return (
    <li>
      <button
        type="button"
        title={`${program.maker}: ${program.about}`}
        onClick={() => showOverlay('programs', program.id)}
        className="grid w-full grid-cols-[14px_minmax(0,1fr)_auto] items-center gap-2 py-[5px] pr-3.5 pl-3.5 text-left text-sm hover:bg-bg-2 focus-visible:-outline-offset-2"
      >
        <Plug size={12} strokeWidth={1.75} aria-hidden="true" className="text-fg-2" />
        <span className={classNames('truncate', isHere ? 'text-fg-1' : 'text-fg-2')}>{program.title}</span>
        <span
          className={classNames(
            'font-mono text-xs',
            program.problem !== null && isHere ? 'text-bad' : 'text-fg-2',
          )}
        >
          {programStateText(program, wantsLogin)}
        </span>
      </button>
    </li>
  )
}

/** The line at the foot of the side bar: how many external agents are ready. It opens the list with the state of each, and the way to add one. */
import { ChevronRight, Plug, Plus } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import type { DefinitionInfo } from '../../../shared/agent-definition/agent-catalog.ts'
import type { ProgramState } from '../../../shared/external-agents/known-program.ts'
import { useExternalAgentDefinitions } from '../../stores/conversation-actions.ts'
import { showOverlay } from '../../stores/overlay-store.ts'
import { setView } from '../../stores/session-store.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { loadPrograms, programStateText, readyAmount, usePrograms } from './programs-store.ts'

const OPEN = 'external-agents-open'

export function ExternalAgentList() {
  const id = useId()
  const programs = usePrograms((state) => state.programs)
  const failure = usePrograms((state) => state.failure)
  const own = useExternalAgentDefinitions().filter(({ name }) => !programs?.some(({ id }) => id === name))
  const ready = usePrograms(readyAmount) + own.length
  const [isOpen, setOpen] = useState(() => localStorage.getItem(OPEN) === 'yes')
  useEffect(() => {
    void loadPrograms()
  }, [])
  const toggle = () => {
    localStorage.setItem(OPEN, isOpen ? 'no' : 'yes')
    setOpen(!isOpen)
  }
  const all = (programs?.length ?? 0) + own.length
  return (
    <section aria-labelledby={id} className="flex max-h-[32%] shrink-0 flex-col border-line border-t">
      {isOpen && (
        <div className="min-h-0 overflow-y-auto py-1">
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
          <button
            type="button"
            onClick={() => showOverlay('programs')}
            className="grid w-full grid-cols-[14px_minmax(0,1fr)] items-center gap-2 px-3.5 py-[5px] text-left text-fg-1 text-sm hover:bg-bg-2 focus-visible:-outline-offset-2"
          >
            <Plus size={12} strokeWidth={1.75} aria-hidden="true" className="text-fg-2" />
            Add an external agent…
          </button>
        </div>
      )}
      <h2 id={id} className={classNames('shrink-0', isOpen && 'border-line border-t')}>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={toggle}
          className="flex h-[30px] w-full items-center gap-1.5 pr-3 pl-3.5 text-left text-fg-1 text-sm hover:bg-bg-2 hover:text-fg-0 focus-visible:-outline-offset-2"
        >
          <Plug size={12} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-fg-2" />
          <span className="shrink-0">External agents</span>
          <span
            className={classNames('truncate font-mono text-xs', failure === null ? 'text-fg-2' : 'text-bad')}
          >
            {failure !== null ? 'not readable' : all > 0 && `${ready} of ${all} ready`}
          </span>
          <ChevronRight
            size={12}
            strokeWidth={2}
            aria-hidden="true"
            className={classNames('ml-auto shrink-0 text-fg-2', isOpen && '-rotate-90')}
          />
        </button>
      </h2>
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

/** One external agent, with the actions that its state allows. */

import { ChevronRight, Plug } from 'lucide-react'
import { useEffect, useId, useRef } from 'react'
import type { ProgramState } from '../../../shared/external-agents/known-program.ts'
import { showOverlay, useOverlay } from '../../stores/overlay-store.ts'
import { Button } from '../../ui/button.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { ProgramAnswerView } from './program-answer.tsx'
import {
  askToInstall,
  askToRemove,
  cancelInstall,
  check,
  programStateText,
  setUsed,
  usePrograms,
} from './programs-store.ts'

interface ProgramCardProps {
  readonly program: ProgramState
}

export function ProgramCard({ program }: ProgramCardProps) {
  const id = useId()
  const card = useRef<HTMLLIElement>(null)
  const isOpen = useOverlay((state) => state.about === program.id)
  const wantsLogin = usePrograms((state) => state.wantLogin.has(program.id))
  useEffect(() => {
    if (isOpen) card.current?.scrollIntoView?.({ block: 'nearest' })
  }, [isOpen])
  return (
    <li
      ref={card}
      className={classNames(
        'rounded-md border bg-bg-0 text-sm',
        isOpen ? 'border-line-strong' : 'border-line',
      )}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => showOverlay('programs', isOpen ? null : program.id)}
        className="grid w-full grid-cols-[12px_14px_minmax(0,1fr)_auto] items-center gap-2 rounded-md px-3 py-2 text-left hover:bg-bg-2 focus-visible:-outline-offset-2"
      >
        <ChevronRight
          size={12}
          strokeWidth={1.75}
          aria-hidden="true"
          className={classNames('text-fg-2', isOpen && 'rotate-90')}
        />
        <Plug size={14} strokeWidth={1.75} aria-hidden="true" className="text-fg-1" />
        <span className="min-w-0 truncate">
          <span className="font-semibold text-fg-0">{program.title}</span>{' '}
          <span className="text-fg-2">{program.maker}</span>
        </span>
        <span
          className={classNames(
            'font-mono text-xs',
            program.problem !== null && program.place !== 'none' ? 'text-bad' : 'text-fg-2',
          )}
        >
          {programStateText(program, wantsLogin)}
        </span>
      </button>
      {isOpen && (
        // The focus stays in the card when the focused button is replaced.
        <div
          id={id}
          tabIndex={-1}
          className="flex flex-col gap-2.5 border-line border-t px-3 py-2.5 outline-none"
        >
          <Facts program={program} />
          {program.work === null ? <Actions program={program} /> : <Work program={program} />}
          <ProgramAnswerView program={program} />
          <Lacks program={program} />
        </div>
      )}
    </li>
  )
}

function Facts({ program }: ProgramCardProps) {
  const { about, version, file, place, problem, note, login } = program
  return (
    <div className="flex flex-col gap-1 text-fg-1" data-selectable="">
      <p>{about}</p>
      {place !== 'none' && (
        <p className="text-fg-2">
          {version !== null && <>Version {version}. </>}
          {place === 'own' ? 'Installed by Troupe' : 'Found on your PATH'}
          {file !== null && (
            <>
              : <code className="break-all font-mono text-xs">{file}</code>
            </>
          )}
        </p>
      )}
      {note !== null && <p>{note}</p>}
      <p className="text-fg-2">{login}</p>
      {problem !== null && (
        <p role="alert" className="whitespace-pre-wrap text-bad wrap-anywhere">
          {problem}
        </p>
      )}
    </div>
  )
}

function Actions({ program }: ProgramCardProps) {
  const { id, place, isUsed, update } = program
  const asking = usePrograms((state) => state.asking.has(id))
  const answer = usePrograms((state) => state.answers.get(id)?.kind)
  const isAsked = answer === 'offer' || answer === 'remove'
  const common = { disabled: asking || isAsked, focusableWhenDisabled: true }
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {place !== 'own' && (
        <Button
          {...common}
          variant={place === 'none' ? 'primary' : 'secondary'}
          onClick={() => void askToInstall(id)}
        >
          Install…
        </Button>
      )}
      {update !== null && (
        <Button {...common} variant="primary" onClick={() => void askToInstall(id)}>
          Update to {update}…
        </Button>
      )}
      {place !== 'none' && (
        <>
          <Button
            {...common}
            variant={isUsed ? 'secondary' : 'primary'}
            // The second click of a double click would undo the first.
            onClick={(event) => event.detail < 2 && void setUsed(id, !isUsed)}
          >
            {isUsed ? 'Don’t use' : 'Use as an agent'}
          </Button>
          <Button {...common} onClick={() => void check(id)}>
            Check
          </Button>
        </>
      )}
      {place === 'own' && (
        <Button {...common} variant="danger" onClick={() => askToRemove(id)}>
          Remove…
        </Button>
      )}
      {asking && <Spinner size={11} />}
    </div>
  )
}

function Work({ program: { id, work } }: ProgramCardProps) {
  if (work === null) return null
  return (
    <div className="flex items-center gap-2">
      <Spinner size={11} />
      <span role="status" className="min-w-0 flex-1 truncate text-fg-1" title={work.line}>
        {work.line}
      </span>
      {work.percent !== undefined && <Percent value={work.percent} />}
      {(work.kind === 'install' || work.kind === 'update') && (
        // It appears where the button was that began: a double click must not cancel.
        <Button onClick={(event) => event.detail < 2 && void cancelInstall(id)}>Cancel</Button>
      )}
    </div>
  )
}

function Percent({ value }: { readonly value: number }) {
  return (
    <span
      role="progressbar"
      aria-label="Download"
      aria-valuenow={value}
      aria-valuemin={0}
      aria-valuemax={100}
      className="flex items-center gap-2 font-mono text-fg-1 text-xs [--agent:var(--accent)]"
    >
      <Meter value={value} max={100} className="w-24" />
      {value}%
    </span>
  )
}

function Lacks({ program: { lacks, title } }: ProgramCardProps) {
  if (lacks.length === 0) return null
  return (
    <section aria-label={`What Troupe can’t do with ${title}`} className="text-fg-2" data-selectable="">
      <p className="text-fg-1">What Troupe can’t do with it</p>
      <ul className="mt-0.5 flex list-disc flex-col gap-0.5 pl-4 marker:text-fg-3">
        {lacks.map((lack) => (
          <li key={lack}>{lack}</li>
        ))}
      </ul>
    </section>
  )
}

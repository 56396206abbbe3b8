/** Ways to begin with an external agent, which needs no key: the ones that are here, or an installation. */
import { Plug } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { ProgramState } from '../../../shared/external-agents/known-program.ts'
import { showFailure, showOverlay } from '../../stores/overlay-store.ts'
import { changeSettings } from '../../stores/settings-store.ts'
import { BigChoice } from '../../ui/big-choice.tsx'
import { loadPrograms, setUsed, usePrograms } from './programs-store.ts'

/** One choice for each program that is here, or needs something before it can start; without any, one to install some. */
export function FoundPrograms() {
  const programs = usePrograms((state) => state.programs)
  const failure = usePrograms((state) => state.failure)
  const [busy, setBusy] = useState<string | null>(null)
  useEffect(() => {
    void loadPrograms()
  }, [])
  const here = (programs ?? []).filter(({ place, problem }) => place !== 'none' && problem === null)
  const unready = (programs ?? []).filter(isUnready)
  const choose = async (program: ProgramState) => {
    if (busy !== null) return
    setBusy(program.id)
    await begin(program)
    setBusy(null)
  }
  return (
    <>
      {here.map((program) => (
        <BigChoice
          key={program.id}
          icon={Plug}
          title={`Use the ${program.title} you have`}
          text={`By ${program.maker}, with its own models and login. No key is needed here.`}
          busy={busy === program.id}
          onChoose={() => void choose(program)}
        />
      ))}
      {unready.map(({ id, title, problem, note }) => (
        <BigChoice
          key={id}
          icon={Plug}
          title={`Use the ${title} you have…`}
          text={problem ?? note ?? ''}
          onChoose={() => showOverlay('programs', id)}
        />
      ))}
      {programs === null && failure !== null && (
        <BigChoice
          icon={Plug}
          title="Use an external agent…"
          text={failure}
          onChoose={() => showOverlay('programs')}
        />
      )}
      {programs !== null && here.length + unready.length === 0 && (
        <BigChoice
          icon={Plug}
          title="Install an external agent…"
          text={`${namesOf(programs)}, with the login that you have there. None of them was found on this computer.`}
          onChoose={() => showOverlay('programs', programs[0]?.id ?? null)}
        />
      )}
    </>
  )
}

/** Part of it is here, but it can't start yet: its `problem` or `note` says what is missing. */
const isUnready = ({ place, problem, note }: ProgramState): boolean =>
  place === 'none' ? note !== null : problem !== null

function namesOf(programs: readonly ProgramState[]): string {
  const names = programs.map(({ title }) => title)
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

/** Makes the program the main agent of new conversations. A failure is shown, and nothing is chosen. */
async function begin({ id, isUsed }: ProgramState): Promise<void> {
  if (!isUsed) {
    await setUsed(id, true)
    const answer = usePrograms.getState().answers.get(id)
    if (answer?.kind === 'failure') return showFailure(answer)
  }
  const chosen = await changeSettings({ mainAgent: id })
  if (!chosen.ok) showFailure(chosen.failure)
}

/** The questions before the first conversation: the folder, its trust, the model source. */
import { ChooseAccess } from '../../features/first-run/choose-access.tsx'
import { ChooseFolder } from '../../features/first-run/choose-folder.tsx'
import { FirstStep } from '../../features/first-run/first-step.tsx'
import { StageSketch } from '../../features/first-run/stage-sketch.tsx'
import { TrustQuestion } from '../../features/first-run/trust-question.tsx'
import { KeyForm } from '../../features/settings/key-form.tsx'
import { useSession } from '../../stores/session-store.ts'
import { trustAnswered } from '../../stores/trust-store.ts'
import type { FirstQuestion } from './first-question.ts'

interface FirstRunViewProps {
  readonly question: FirstQuestion
  readonly onLater: () => void
}

export function FirstRunView({ question, onLater }: FirstRunViewProps) {
  const folder = useSession((state) => state.folder)
  switch (question) {
    case 'folder':
      return (
        <FirstStep
          picture={<StageSketch />}
          title="Where should agents work?"
          text="A main agent splits a task among subagents that run side by side, each in a live panel. They work in a folder."
        >
          <ChooseFolder />
        </FirstStep>
      )
    case 'trust':
      return folder === null ? null : (
        <FirstStep title="Do you trust this folder?" text="Agents have not read anything in it yet.">
          <TrustQuestion folder={folder} onAnswered={() => trustAnswered(folder.path)} />
        </FirstStep>
      )
    case 'access':
      return (
        <FirstStep
          title="Choose a model source"
          text="Agents need a model. You can also try everything without one."
        >
          <ChooseAccess keyForm={<KeyForm />} onLater={onLater} />
        </FirstStep>
      )
  }
}

/** The questions before the first conversation: the folder, its trust, the model source. */
import { useEffect, useState } from 'react'
import { FoundPrograms } from '../../features/external-agents/found-programs.tsx'
import {
  ChooseAccess,
  ChooseFolder,
  FirstStep,
  StageSketch,
  TrustQuestion,
} from '../../features/first-run/first-steps.tsx'
import { KeyForm } from '../../features/models/key-form.tsx'
import { openTutorial } from '../../features/tutorial/tutorial-store.ts'
import { focusComposer } from '../../stores/draft-store.ts'
import { trustAnswered, useTrust } from '../../stores/session-feed.ts'
import { useSession } from '../../stores/session-store.ts'
import type { FirstQuestion } from './first-question.ts'

interface FirstRunViewProps {
  readonly question: FirstQuestion
  readonly onLater: () => void
}

export function FirstRunView({ question, onLater }: FirstRunViewProps) {
  const folder = useSession((state) => state.folder)
  const askedAgain = useTrust((state) => folder !== null && state.asking === folder.path)
  const [withKey, setWithKey] = useState(false)
  // After the last question the view of the rail follows; the focus must not be lost with the answer.
  useEffect(() => focusComposer, [])
  switch (question) {
    case 'folder':
      return (
        <FirstStep
          key={question}
          picture={<StageSketch />}
          title="Where should agents work?"
          text="A main agent splits a task among subagents that run side by side, each in a live panel. They work in a folder."
        >
          <ChooseFolder onTutorial={openTutorial} />
        </FirstStep>
      )
    case 'trust':
      return folder === null ? null : (
        <FirstStep
          key={question}
          title="Do you trust this folder?"
          text={
            askedAgain
              ? 'Agents can only read in it now. Esc keeps it so.'
              : 'Agents have not read anything in it yet.'
          }
          onEscape={askedAgain ? () => trustAnswered(folder.path) : undefined}
        >
          <TrustQuestion folder={folder} onAnswered={() => trustAnswered(folder.path)} />
        </FirstStep>
      )
    case 'access':
      return (
        <FirstStep
          key={question}
          title="Choose a model source"
          text="Agents need a model, or a program that has its own. You can also try everything without one."
          onEscape={withKey ? () => setWithKey(false) : onLater}
        >
          <ChooseAccess
            keyForm={<KeyForm />}
            programs={<FoundPrograms />}
            withKey={withKey}
            onWithKey={setWithKey}
            onLater={onLater}
          />
        </FirstStep>
      )
  }
}

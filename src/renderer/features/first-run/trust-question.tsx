/** Asked once for each folder: may what lies in it be interpreted and run? */
import { ShieldCheck, ShieldQuestion } from 'lucide-react'
import type { FolderInfo } from '../../../shared/ipc-contract.ts'
import { pickFolder, trustFolder } from '../../stores/folder-actions.ts'
import { Button } from '../../ui/button.tsx'
import { BigChoice } from './big-choice.tsx'

interface TrustQuestionProps {
  readonly folder: FolderInfo
  readonly onAnswered: () => void
}

export function TrustQuestion({ folder, onAnswered }: TrustQuestionProps) {
  const answer = async (trusted: boolean) => {
    await trustFolder(folder.path, trusted)
    onAnswered()
  }
  return (
    <>
      <p className="break-all pb-4 font-mono text-fg-1 text-sm" data-selectable="">
        {folder.path}
      </p>
      <div className="grid gap-2.5">
        <BigChoice
          icon={ShieldCheck}
          title="I trust this folder"
          words="Its agents, rules and settings are read, and agents may run commands in it, each as the permission mode allows."
          primary
          onChoose={() => void answer(true)}
        />
        <BigChoice
          icon={ShieldQuestion}
          title="Only read in it"
          words="Nothing of it is interpreted: agents can read and search its files, and can neither change them nor run commands. You can trust it later."
          onChoose={() => void answer(false)}
        />
      </div>
      <p className="pt-4 text-fg-2 text-sm">
        A project can carry instructions for agents, and commands that run by themselves. In a folder from
        someone you do not know these could do harm.
      </p>
      <Button variant="quiet" className="mt-3 -ml-2.5" onClick={() => void pickFolder()}>
        Open another folder…
      </Button>
    </>
  )
}

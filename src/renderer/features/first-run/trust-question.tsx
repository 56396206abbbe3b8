/** Asks once for each folder whether its content may be interpreted and run. */
import { ShieldCheck, ShieldQuestion } from 'lucide-react'
import type { FolderInfo } from '../../../shared/folder-info.ts'
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
          text="Troupe reads its agents, rules and settings. Agents may run commands in it, as the permission mode allows."
          primary
          onChoose={() => void answer(true)}
        />
        <BigChoice
          icon={ShieldQuestion}
          title="Read only"
          text="Agents can read and search files, but can't change files or run commands. You can trust the folder later."
          onChoose={() => void answer(false)}
        />
      </div>
      <p className="pt-4 text-fg-2 text-sm">
        A project can contain instructions for agents and commands that run automatically. In a folder from an
        unknown source these can do harm.
      </p>
      <Button variant="quiet" className="mt-3 -ml-2.5" onClick={() => void pickFolder()}>
        Open another folder…
      </Button>
    </>
  )
}

/** Asks once for each folder whether its content may be interpreted and run. */
import { ShieldCheck, ShieldQuestion } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { FolderContents, FolderInfo } from '../../../shared/window/contract.ts'
import { command } from '../../bridge.ts'
import { pickFolder, trustFolder } from '../../stores/session-feed.ts'
import { BigChoice } from '../../ui/big-choice.tsx'
import { Button } from '../../ui/button.tsx'
import { count } from '../../ui/text/format.ts'

interface TrustQuestionProps {
  readonly folder: FolderInfo
  readonly onAnswered: () => void
}

export function TrustQuestion({ folder, onAnswered }: TrustQuestionProps) {
  const answer = async (trusted: boolean) => {
    await trustFolder(folder.path, trusted)
    onAnswered()
  }
  const [contents, setContents] = useState<FolderContents | null>(null)
  useEffect(() => {
    let isOver = false
    void command('folder.contents', { path: folder.path }).then((found) => {
      if (!isOver && found.ok) setContents(found.value)
    })
    return () => {
      isOver = true
    }
  }, [folder.path])
  return (
    <>
      <p className="break-all pb-3 font-mono text-fg-1 text-sm" data-selectable="">
        {folder.path}
      </p>
      {contents !== null && <Contents contents={contents} />}
      <div className="grid gap-2.5">
        <BigChoice
          icon={ShieldCheck}
          title="I trust this folder"
          text="Troupe reads its agents, rules and settings, and those of the folders in it. Agents may run commands, as the permission mode allows."
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

/** What the folder brings, and what the answer means for it. */
function Contents({ contents }: { readonly contents: FolderContents }) {
  const lines = contentsLines(contents)
  if (lines.length === 0)
    return <p className="pb-4 text-fg-2 text-sm">It has no agents, commands or settings of its own.</p>
  return (
    <ul aria-label="What the folder brings" className="grid gap-1 pb-4 text-sm">
      {lines.map(({ what, means }) => (
        <li key={what}>
          <span className="font-medium text-fg-0">{what}</span> <span className="text-fg-2">{means}</span>
        </li>
      ))}
    </ul>
  )
}

/** What a folder brings, in words, with what an answer of the user means for it. */
interface ContentsLine {
  /** "3 agents" */
  readonly what: string
  readonly means: string
}

function contentsLines(contents: FolderContents): readonly ContentsLine[] {
  const { agents, skills, commands, hooks, mcpServers, instructions } = contents
  const some = (number: number, word: string, words = `${word}s`) =>
    number > 0 ? [count(number, word, words)] : []
  const line = (parts: readonly string[], means: string): readonly ContentsLine[] =>
    parts.length > 0 ? [{ what: parts.join(', '), means }] : []
  return [
    ...line(
      some(agents, 'agent'),
      'can be used once you trust it. Later ones, and more rights, ask you first.',
    ),
    ...line(
      [...some(hooks, 'hook'), ...some(mcpServers, 'MCP server')],
      'can start programs. Each asks you before it is first used.',
    ),
    ...line(
      [...some(commands, 'command'), ...some(skills, 'skill'), ...instructions],
      'tell agents what to do.',
    ),
  ]
}

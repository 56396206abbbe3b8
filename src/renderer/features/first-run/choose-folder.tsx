/** Chooses the folder that agents work in. */
import { FolderOpen, Package } from 'lucide-react'
import { useState } from 'react'
import { commandOf } from '../../../shared/commands/commands.ts'
import { openFolder, openSample, pickFolder } from '../../stores/session-feed.ts'
import { useSession } from '../../stores/session-store.ts'
import { BigChoice } from '../../ui/big-choice.tsx'

export function ChooseFolder() {
  const recent = useSession((state) => state.settings.recentFolders)
  const [busy, setBusy] = useState<string | null>(null)
  const go = async (name: string, open: () => Promise<boolean>) => {
    setBusy(name)
    await open()
    setBusy(null)
  }
  return (
    <>
      <div className="grid gap-2.5">
        <BigChoice
          icon={FolderOpen}
          title="Open a folder"
          text="A project of yours. Troupe asks whether you trust the folder before anything in it runs."
          keys={commandOf('open-folder').keys}
          primary
          busy={busy === 'pick'}
          onChoose={() => void go('pick', pickFolder)}
        />
        <BigChoice
          icon={Package}
          title="Try the sample project"
          text="A small shop with a bug and a failing test, copied to a new folder."
          busy={busy === 'sample'}
          onChoose={() => void go('sample', openSample)}
        />
      </div>
      {recent.length > 0 && (
        <section aria-labelledby="recent-heading" className="mt-6">
          <h2 id="recent-heading" className="side-heading pb-1.5">
            Recent
          </h2>
          <ul>
            {recent.slice(0, 6).map((path) => (
              <li key={path}>
                <button
                  type="button"
                  onClick={() => void go(path, () => openFolder(path))}
                  className="w-full truncate rounded-sm px-2 py-1 text-left font-mono text-fg-1 text-xs hover:bg-bg-2 hover:text-fg-0"
                >
                  {path}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

/** The first step: agents work in a folder. */
import { FolderOpen, Package } from 'lucide-react'
import { useState } from 'react'
import { openFolder, openSample, pickFolder } from '../../stores/folder-actions.ts'
import { useSession } from '../../stores/session-store.ts'
import { BigChoice } from './big-choice.tsx'

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
          words="A project of yours. Before anything in it is run you are asked whether you trust it."
          keys="Mod O"
          primary
          busy={busy === 'pick'}
          onChoose={() => void go('pick', pickFolder)}
        />
        <BigChoice
          icon={Package}
          title="Try the sample project"
          words="A small shop with a bug and a failing test, copied to a folder of its own."
          busy={busy === 'sample'}
          onChoose={() => void go('sample', openSample)}
        />
      </div>
      {recent.length > 0 && (
        <section aria-labelledby="recent-heading" className="mt-6">
          <h2 id="recent-heading" className="side-heading pb-1.5">
            Opened before
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

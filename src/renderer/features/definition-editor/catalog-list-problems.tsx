import { useSession } from '../../stores/session-store.ts'
import { askAboutTrust } from '../../stores/trust-store.ts'
import { Button } from '../../ui/button.tsx'
import { useEditor } from './editor-store.ts'

/** Problems with whole folders: no trust, or not readable. */
export function FolderProblems() {
  const problems = useEditor((state) => state.catalog.problems)
  const folder = useSession((state) => state.folder)
  return (
    <>
      {folder !== null && !folder.trusted && (
        <div className="mx-2.5 mt-2 rounded-md border border-line bg-bg-2 p-2.5 text-fg-1 text-sm">
          <p>This folder is not trusted, so the project’s agents are not loaded.</p>
          <Button className="mt-2" onClick={() => askAboutTrust(folder.path)}>
            Trust this folder…
          </Button>
        </div>
      )}
      {problems.length > 0 && (
        <ul aria-label="Folder problems" className="mx-2.5 mt-2 max-h-32 overflow-y-auto">
          {problems.map((problem) => (
            <li
              key={problem}
              data-selectable=""
              className="rounded-md border border-line bg-bg-2 px-2.5 py-1.5 text-fg-1 text-xs"
            >
              {problem}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

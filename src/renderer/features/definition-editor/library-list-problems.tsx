import { useSession } from '../../stores/session-store.ts'
import { askAboutTrust } from '../../stores/trust-store.ts'
import { Button } from '../../ui/button.tsx'
import { useEditor } from './editor-store.ts'

/** What is wrong with whole folders, and a folder without trust. */
export function FolderProblems() {
  const problems = useEditor((state) => state.library.problems)
  const folder = useSession((state) => state.folder)
  return (
    <>
      {folder !== null && !folder.trusted && (
        <div className="mx-2.5 mt-2 rounded-md border border-line bg-bg-2 p-2.5 text-fg-1 text-sm">
          <p>This folder is not trusted, so the agents of the project are not read.</p>
          <Button className="mt-2" onClick={() => askAboutTrust(folder.path)}>
            Trust this folder…
          </Button>
        </div>
      )}
      {problems.length > 0 && (
        <ul aria-label="Problems of folders" className="mx-2.5 mt-2 max-h-32 overflow-y-auto">
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

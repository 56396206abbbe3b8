/** Why agents can't work in a folder because of its path; null: they can. Git prints such a path on several lines. */
export function whatIsWrongWithFolder(path: string): string | null {
  if (!/[\n\r]/.test(path)) return null
  return `The path of this folder contains a line break, so git can't create worktrees for it: ${JSON.stringify(path)}. Rename the folder.`
}

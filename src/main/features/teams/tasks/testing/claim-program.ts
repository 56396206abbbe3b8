/** A process that claims every free task: `claim-program FOLDER NAME`. Prints the ids that it got. */
import { createTaskFiles } from '../task-files.ts'

const [folder = '', name = ''] = process.argv.slice(2)
const board = createTaskFiles({ folder })
const mine: string[] = []
for (;;) {
  const listed = await board.list('c-1')
  if (!listed.ok) throw new Error(listed.failure.message)
  const free = listed.value.tasks.find(({ owner }) => owner === null)
  if (free === undefined) break
  const claimed = await board.update('c-1', {
    ...free,
    status: 'in_progress',
    owner: name,
    version: free.version + 1,
  })
  if (claimed.ok) mine.push(free.id)
  else if (claimed.failure.type !== 'changed') throw new Error(claimed.failure.message)
}
console.log(JSON.stringify(mine))

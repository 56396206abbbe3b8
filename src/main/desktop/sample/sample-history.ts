/** `sample/history.json`: the commits of the sample project, each a set of files. */
import { z } from 'zod'

export const sampleHistory = z.array(
  z.object({
    message: z.string().min(1),
    daysAgo: z.number().nonnegative(),
    /** By path in the project: the file in `sample` with its content. */
    files: z.record(z.string(), z.string()),
  }),
)

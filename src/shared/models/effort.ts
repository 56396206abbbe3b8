/** How much a model thinks and writes: the API's effort setting. */
export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof efforts)[number]

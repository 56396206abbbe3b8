/** The fields of a conversation without a coordinator, teams, tasks and phases. Not beside their schema, which the window does not load. */
export const noTeams = { coordinator: false, teams: [], tasks: [], phases: [] }

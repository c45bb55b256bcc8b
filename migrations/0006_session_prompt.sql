CREATE TABLE `session_prompt` (
	`session_id` text PRIMARY KEY NOT NULL,
	`text` text NOT NULL,
	`basis` text NOT NULL,
	`cut` text,
	`builds` integer NOT NULL,
	`built_at` integer NOT NULL
);

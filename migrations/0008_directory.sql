CREATE TABLE `known_chats` (
	`place` text NOT NULL,
	`person` text NOT NULL,
	`chat` text NOT NULL,
	`chat_type` text NOT NULL,
	`name` text NOT NULL,
	`seen_at` integer NOT NULL,
	PRIMARY KEY(`place`, `person`)
);
--> statement-breakpoint
CREATE TABLE `mirrors` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`place` text NOT NULL,
	`text` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `mirrors_place` ON `mirrors` (`place`,`id`);--> statement-breakpoint
CREATE TABLE `mirrors_seen` (
	`lane` text PRIMARY KEY NOT NULL,
	`id` integer NOT NULL
);
